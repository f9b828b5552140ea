import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { Kysely, type KyselyPlugin, SqliteDialect } from 'kysely'
import type { Tables } from '../tables.ts'
import { toStoreFailure } from './sqlite-failure.ts'
import { cachedStatements } from './statement-cache.ts'

/**
 * Creates queries on one open connection of `node:sqlite`; they reject with `StoreFailure`. The caller that opened the connection also
 * closes it.
 */
export function queriesOn(database: DatabaseSync): Kysely<Tables> {
  const prepare = cachedStatements((sql) => guarded(() => statement(database.prepare(sql))))
  return new Kysely<Tables>({
    dialect: new SqliteDialect({ database: { prepare, close: () => database.close() } }),
  })
}

/**
 * Returns the same queries, each of which resolves only when the commits that it may have read are on the disk: a commit can be read
 * before it is synced. `unsynced` is called after the rows were read, and returns the sync of these commits.
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

/** The interface of a statement that the dialect expects. */
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

/** All column types of `tables.ts` are accepted by SQLite without conversion. */
function values(parameters: readonly unknown[]): SQLInputValue[] {
  return parameters as SQLInputValue[]
}
