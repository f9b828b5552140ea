import { DatabaseSync } from 'node:sqlite'

/** A connection that records its statements, and that a test can make fail. */
export class WatchedDatabase extends DatabaseSync {
  readonly executed: string[] = []
  readonly prepared: string[] = []
  /** Called before each command without a result. It returns the command to run, or throws. */
  intercept: (sql: string) => string = (sql) => sql

  override exec(sql: string): void {
    this.executed.push(sql)
    super.exec(this.intercept(sql))
  }

  override prepare(...parameters: Parameters<DatabaseSync['prepare']>): ReturnType<DatabaseSync['prepare']> {
    this.prepared.push(parameters[0])
    return super.prepare(...parameters)
  }

  /** Returns the number of times that exactly this command was run. */
  count(sql: string): number {
    return this.executed.filter((executed) => executed === sql).length
  }

  /** Returns the value of a pragma. */
  pragma(name: string): unknown {
    return Object.values(super.prepare(`PRAGMA ${name}`).get() ?? {})[0]
  }
}
