import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { Kysely, type KyselyPlugin, SqliteAdapter, SqliteDialect } from 'kysely'
import type { Transaction } from '../group-commit.ts'
import type { Load } from '../rows/rows.ts'
import type { AnySpec, StoredRow } from '../rows/table.ts'
import { type Tables, deleteStatement, type Dialect, insertStatement, keyColumn, selectStatement } from '../tables.ts'
import { cachedStatements, toStoreFailure } from './sqlite-connection.ts'

/**
 * SQLite without the library's lock around each query, since each is one statement, which a connection runs at once, or the thread in order.
 * Each release of that lock wakes all queries that wait for it, and all but one wait again (`ConnectionMutex` of kysely).
 */
export class LocklessAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

class LocklessDialect extends SqliteDialect {
  override createAdapter(): SqliteAdapter {
    return new LocklessAdapter()
  }
}

/**
 * Creates queries on one open connection of `node:sqlite`; they reject with `StoreFailure`. The caller that opened the connection also
 * closes it.
 */
export function queriesOn(database: DatabaseSync): Kysely<Tables> {
  const prepare = cachedStatements((sql) => guarded(() => statement(database.prepare(sql))))
  return new Kysely<Tables>({
    dialect: new LocklessDialect({ database: { prepare, close: () => database.close() } }),
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

const DIALECT: Dialect = {
  oneOf: (columns) => {
    const parts = columns.map((_, index) => (columns.length === 1 ? 'value' : `value ->> ${index}`))
    return `(${columns.join(', ')}) IN (SELECT ${parts.join(', ')} FROM json_each(?))`
  },
  source: ({ columns }) =>
    `VALUES (${Object.keys(columns)
      .map(() => '?')
      .join(', ')})`,
}

/** Characters that SQLite's JSON reads differently from its columns: NUL and surrogates. */
const UNPLAIN = /[\0\ud800-\udfff]/

/** Creates the transaction interface of the connection that writes. Each statement is prepared once. */
export function sqliteTransaction(database: DatabaseSync): Transaction {
  const prepare = createPreparer(database)
  const loadOne = ({ spec, lookup, keys }: Load): StoredRow[] => {
    const select = prepare(spec, `select ${lookup}`, () => selectStatement(DIALECT, spec, lookup))
    const plain = keys.filter((key) => !UNPLAIN.test(key))
    const rows = plain.length === 0 ? [] : (select.all(JSON.stringify(plain)) as StoredRow[])
    if (plain.length === keys.length) return rows
    const single = prepare(spec, `single ${lookup}`, () => selectStatement(BY_VALUE, spec, lookup))
    const others = keys.filter((key) => UNPLAIN.test(key))
    return rows.concat(others.flatMap((key) => single.all(...valuesOf(spec, lookup, key)) as StoredRow[]))
  }
  return {
    db: queriesOn(database),
    load: async (loads) => loads.map(loadOne),
    async store(changes) {
      for (const { spec, inserted, updated, deleted } of changes) {
        // One statement per row: inside the process this costs less than any way to pass several rows at once.
        const names = Object.keys(spec.columns)
        // First, because a new row may have a unique value of a deleted one, such as an idempotency key.
        if (deleted.length > 0)
          prepare(spec, 'delete', () => deleteStatement(DIALECT, spec)).run(JSON.stringify(deleted))
        const insert = prepare(spec, 'insert', () => insertStatement(DIALECT, spec))
        for (const row of inserted) insert.run(...names.map((name) => row[name] ?? null))
        for (const { row, columns } of updated) {
          // Only changed columns, because an update rewrites every index of the columns that it names.
          const update = prepare(spec, `update ${columns.join()}`, () => updateStatement(spec, columns))
          update.run(...columns.map((name) => row[name] ?? null), row[keyColumn(spec)] ?? null)
        }
      }
    },
  }
}

function updateStatement(spec: AnySpec, columns: readonly string[]): string {
  return `UPDATE ${spec.name} SET ${columns.map((name) => `${name} = ?`).join(', ')} WHERE ${keyColumn(spec)} = ?`
}

/** Finds rows by a single value. */
const BY_VALUE: Dialect = {
  ...DIALECT,
  oneOf: (columns) => columns.map((name) => `${name} = ?`).join(' AND '),
}

function valuesOf(spec: AnySpec, lookup: string, key: string): SQLInputValue[] {
  return (spec.lookups[lookup]?.columns.length ?? 1) === 1 ? [key] : (JSON.parse(key) as string[])
}

/** Creates a cache of prepared statements, by table and purpose. */
function createPreparer(database: DatabaseSync) {
  const statements = new Map<AnySpec, Map<string, StatementSync>>()
  return (spec: AnySpec, purpose: string, text: () => string): StatementSync => {
    const ofTable = statements.get(spec) ?? new Map<string, StatementSync>()
    statements.set(spec, ofTable)
    const prepared = ofTable.get(purpose) ?? database.prepare(text())
    ofTable.set(purpose, prepared)
    return prepared
  }
}
