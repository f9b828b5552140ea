import type { Transaction } from './decide.ts'
import type { Connection } from './postgres-connection.ts'
import { queriesOn } from './postgres-dialect.ts'
import type { Change, Load } from './rows/rows.ts'
import type { AnySpec, ColumnType, StoredRow } from './rows/table.ts'
import { deleteStatement, type Dialect, selectStatement, upsertStatement } from './statements.ts'

const TYPES: Readonly<Record<ColumnType, string>> = { text: 'text', integer: 'bigint' }

const DIALECT: Dialect = {
  oneOf(columns, spec, parameter) {
    const [column = ''] = columns
    if (columns.length === 1) return `${column} = ANY ($${parameter}::${TYPES[spec.columns[column] ?? 'text']}[])`
    const values = columns.map((_, index) => `value::json ->> ${index}`)
    return `(${columns.join(', ')}) IN (SELECT ${values.join(', ')} FROM unnest($${parameter}::text[]) AS key (value))`
  },
  source({ columns }, parameter) {
    const names = Object.entries(columns).map(([name, type]) => `${name} ${TYPES[type]}`)
    return `SELECT * FROM json_to_recordset($${parameter}::json) AS row (${names.join(', ')})`
  },
}

/**
 * The statements of transactions on the connection that writes: all that is to be loaded by one, and all that is to be stored
 * by another, so that a batch costs few round trips however many tables it concerns.
 */
export function postgresTransaction(current: () => Pick<Connection, 'run'>): Transaction {
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
      const key = `store ${parts.map(({ spec, isDelete }) => `${isDelete ? '-' : '+'}${spec.name}`).join(', ')}`
      await current().run(
        textOf(key, () => storeText(parts)),
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

type Part = { readonly spec: AnySpec; readonly isDelete: boolean; readonly parameter: unknown }

function partsOf({ spec, rows, deleted }: Change): Part[] {
  const upsert = rows.length === 0 ? [] : [{ spec, isDelete: false, parameter: toJson(rows) }]
  const removal = deleted.length === 0 ? [] : [{ spec, isDelete: true, parameter: deleted.map(storable) }]
  return [...upsert, ...removal]
}

function storeText(parts: readonly Part[]): string {
  const steps = parts.map(({ spec, isDelete }, index) => {
    const statement = isDelete ? deleteStatement : upsertStatement
    return `step_${index} AS (${statement(DIALECT, spec, index + 1)})`
  })
  return `WITH ${steps.join(', ')} SELECT 1`
}

/** Characters, as JSON escapes them, that PostgreSQL's own JSON refuses: NUL, and what may be half of a surrogate pair. */
const REFUSED = /\\u(?:0000|d[89a-f])/i

function toJson(rows: readonly StoredRow[]): string {
  const json = JSON.stringify(rows)
  return REFUSED.test(json)
    ? JSON.stringify(rows, (_, value: unknown) => (typeof value === 'string' ? storable(value).toWellFormed() : value))
    : json
}

/** PostgreSQL's text holds every character but NUL. */
function storable(text: string): string {
  return text.replaceAll('\0', '\uFFFD')
}
