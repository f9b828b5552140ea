import { DatabaseSync } from 'node:sqlite'

/**
 * Loaded before the program, it plants the fault that the power cut is there to find: every connection says FULL when it
 * is asked how it syncs, and commits without a sync.
 */
const { exec } = DatabaseSync.prototype

DatabaseSync.prototype.exec = function careless(this: DatabaseSync, sql: string): void {
  if (sql === 'BEGIN IMMEDIATE') exec.call(this, 'PRAGMA synchronous = NORMAL')
  exec.call(this, sql)
  if (sql === 'COMMIT') exec.call(this, 'PRAGMA synchronous = FULL')
}
