import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { Kysely, type KyselyPlugin, SqliteDialect } from 'kysely'
import type { Tables } from '../tables.ts'
import { toStoreFailure } from './sqlite-failure.ts'
import { cachedStatements } from './statement-cache.ts'

/**
 * Queries on one open connection of Node's own SQLite; they reject with `StoreFailure`. Closing the connection stays with
 * whoever opened it.
 */
export function queriesOn(database: DatabaseSync): Kysely<Tables> {
  const prepare = cachedStatements((sql) => guarded(() => statement(database.prepare(sql))))
  return new Kysely<Tables>({
    dialect: new SqliteDialect({ database: { prepare, close: () => database.close() } }),
  })
}

/**
 * The same queries, each of which resolves only when what it may have read is on the disk: a commit can be read before it is
 * synced. `unsynced` is asked when the rows are there, and gives what they may hold of it.
 */
export function durableQueries(queries: Kysely<Tables>, unsynced: () => Promise<void> | null): Kysely<Tables> {
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      const sync = unsynced()
      if (sync !== null) await sync
      return result
    },
  }
  return queries.withPlugin(plugin)
}

/** The face of a statement that the dialect expects. */
type Statement = {
  readonly reader: boolean
  all(parameters: readonly unknown[]): unknown[]
  run(parameters: readonly unknown[]): { changes: number | bigint; lastInsertRowid: number | bigint }
  iterate(parameters: readonly unknown[]): IterableIterator<unknown>
}

function statement(prepared: StatementSync): Statement {
  return {
    reader: prepared.columns().length > 0,
    all: (parameters) => guarded(() => prepared.all(...values(parameters))),
    run: (parameters) => guarded(() => prepared.run(...values(parameters))),
    iterate: (parameters) => guarded(() => prepared.iterate(...values(parameters))),
  }
}

function guarded<Result>(step: () => Result): Result {
  try {
    return step()
  } catch (error) {
    throw toStoreFailure(error)
  }
}

/** The column types of `tables.ts` are all ones that SQLite takes as they are. */
function values(parameters: readonly unknown[]): SQLInputValue[] {
  return parameters as SQLInputValue[]
}
