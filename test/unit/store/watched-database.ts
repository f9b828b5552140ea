import { DatabaseSync } from 'node:sqlite'

/** A connection that remembers what it was told to run, and can be told to fail. */
export class WatchedDatabase extends DatabaseSync {
  readonly executed: string[] = []
  readonly prepared: string[] = []
  /** Called before each command that is run without a result; may throw in its place, or replace it. */
  intercept: (sql: string) => string = (sql) => sql

  override exec(sql: string): void {
    this.executed.push(sql)
    super.exec(this.intercept(sql))
  }

  override prepare(...parameters: Parameters<DatabaseSync['prepare']>): ReturnType<DatabaseSync['prepare']> {
    this.prepared.push(parameters[0])
    return super.prepare(...parameters)
  }

  /** How often this very command was run. */
  count(sql: string): number {
    return this.executed.filter((executed) => executed === sql).length
  }

  /** The one value that a pragma reads back. */
  pragma(name: string): unknown {
    return Object.values(super.prepare(`PRAGMA ${name}`).get() ?? {})[0]
  }
}
