import { Kysely, PostgresDialect, type PostgresCursor, type PostgresQueryResult } from 'kysely'
import type { Transaction } from '../group-commit.ts'
import type { Change, Load } from '../rows/rows.ts'
import type { AnySpec, StoredAs, StoredRow } from '../rows/table.ts'
import { deleteStatement, type Dialect, insertStatement, keyColumn, selectStatement, type Tables } from '../tables.ts'
import type { PostgresConnection } from './postgres-connection.ts'

const TYPES: Readonly<Record<StoredAs, string>> = { text: 'text', integer: 'bigint' }

const DIALECT: Dialect = {
  oneOf(columns, spec, parameter) {
    const [column = ''] = columns
    if (columns.length === 1) return `${column} = ANY ($${parameter}::${TYPES[spec.columns[column] ?? 'text']}[])`
    const values = columns.map((_, index) => `value::json ->> ${index}`)
    return `(${columns.join(', ')}) IN (SELECT ${values.join(', ')} FROM unnest($${parameter}::text[]) AS key (value))`
  },
  source({ columns }, parameter) {
    const names = Object.entries(columns).map(([name, type]) => `${name} ${TYPES[type]}`)
    return `SELECT row.* FROM json_to_recordset($${parameter}::json) AS row (${names.join(', ')})`
  },
}

/**
 * Creates the transaction interface of the connection that writes. Each `load` and each `store` is one statement for all tables, so that a
 * batch takes few round trips.
 */
export function postgresTransaction(current: () => Pick<PostgresConnection, 'run'>): Transaction {
  const texts = new Map<string, string>()
  const textOf = (key: string, make: () => string): string => {
    const text = texts.get(key) ?? make()
    texts.set(key, text)
    return text
  }
  return {
    db: queriesOn(async () => ({ connection: current(), release: () => {} })),
    async load(loads) {
      const key = `load ${loads.map(({ spec, lookup }) => `${spec.name} ${spec.derived?.groupBy} ${lookup}`).join(', ')}`
      const parameters = loads.map(({ keys }) => keys.map(storable))
      const { rows } = await current().run(
        textOf(key, () => loadText(loads)),
        parameters,
      )
      const found: StoredRow[][] = loads.map(() => [])
      for (const { load, found: row } of rows) found[Number(load)]?.push(JSON.parse(String(row)) as StoredRow)
      return found
    },
    async store(changes) {
      const parts = changes.flatMap(partsOf)
      await current().run(
        textOf(`store ${parts.map(({ key }) => key).join(', ')}`, () => storeText(parts)),
        parts.map(({ parameter }) => parameter),
      )
    },
  }
}

function loadText(loads: readonly Load[]): string {
  const selects = loads.map(
    ({ spec, lookup }, index) =>
      `SELECT ${index} AS load, row_to_json(found)::text AS found FROM (${selectStatement(DIALECT, spec, lookup, index + 1)}) AS found`,
  )
  return selects.join(' UNION ALL ')
}

type Part = {
  /** Parts with the same key have the same text. */
  readonly key: string
  readonly text: (parameter: number) => string
  readonly parameter: unknown
}

function partsOf({ spec, inserted, updated, deleted }: Change): Part[] {
  const parts: Part[] = []
  if (inserted.length > 0)
    parts.push({
      key: `+${spec.name}`,
      text: (parameter) => insertStatement(DIALECT, spec, parameter),
      parameter: toJson(inserted),
    })
  if (updated.length > 0) {
    const columns = [...new Set(updated.flatMap((update) => update.columns))].sort()
    parts.push({
      key: `${spec.name} ${columns.join()}`,
      text: (parameter) => updateStatement(spec, columns, parameter),
      parameter: toJson(updated.map(({ row }) => row)),
    })
  }
  if (deleted.length > 0)
    parts.push({
      key: `-${spec.name}`,
      text: (parameter) => deleteStatement(DIALECT, spec, parameter),
      parameter: deleted.map(storable),
    })
  return parts
}

function storeText(parts: readonly Part[]): string {
  const steps = parts.map(({ text }, index) => `step_${index} AS (${text(index + 1)})`)
  return `WITH ${steps.join(', ')} SELECT 1`
}

function updateStatement(spec: AnySpec, columns: readonly string[], parameter: number): string {
  const changes = columns.map((name) => `${name} = row.${name}`).join(', ')
  const types = [keyColumn(spec), ...columns].map((name) => `${name} ${TYPES[spec.columns[name] ?? 'text']}`)
  const rows = `json_to_recordset($${parameter}::json) AS row (${types.join(', ')})`
  return `UPDATE ${spec.name} AS stored SET ${changes} FROM ${rows} WHERE stored.${keyColumn(spec)} = row.${keyColumn(spec)}`
}

/** JSON escapes of characters that PostgreSQL's JSON rejects: NUL, and possibly lone surrogates. */
const REFUSED = /\\u(?:0000|d[89a-f])/i

function toJson(rows: readonly StoredRow[]): string {
  const json = JSON.stringify(rows)
  return REFUSED.test(json)
    ? JSON.stringify(rows, (_, value: unknown) => (typeof value === 'string' ? storable(value).toWellFormed() : value))
    : json
}

/** Replaces NUL, which PostgreSQL's text cannot contain. */
function storable(text: string): string {
  return text.replaceAll('\0', '\uFFFD')
}

/** A connection for one query, or for the queries of one transaction. */
export type PooledConnection = { readonly connection: Pick<PostgresConnection, 'run'>; readonly release: () => void }

/** Creates queries on leased connections; they reject with `StoreFailure`. */
export function queriesOn(lease: () => Promise<PooledConnection>): Kysely<Tables> {
  const pool = {
    options: {},
    connect: async () => {
      const { connection, release } = await lease()
      return { query: queryOn(connection), release }
    },
    end: async () => {},
  }
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
}

/** The query method of a client, as the dialect expects it. Cursors are not used. */
type Query = {
  <Row>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<Row>>
  <Row>(cursor: PostgresCursor<Row>): PostgresCursor<Row>
}

function queryOn(connection: Pick<PostgresConnection, 'run'>): Query {
  return ((sql: string, parameters: readonly unknown[]) => connection.run(sql, parameters)) as unknown as Query
}
