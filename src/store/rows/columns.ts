import type { Flag, Lookup, Numbering, StoredAs, TableSpec } from './table.ts'
import { fromIso, toIso } from './table.ts'

/** How the value of a field is stored in its column. `Stored` is the type of the column in queries. */
export type Column<Value, Stored, Name extends string | null = null> = {
  readonly type: StoredAs
  /** Null if the column is named after its field: `card_last4` for `cardLast4`. */
  readonly name: Name
  readonly store: (value: Value) => string | number | null
  readonly read: (stored: string | number | null) => Value
  /** Of types alone. */
  readonly stored?: Stored
}

/** A text, of these values if some are given; null where `Value` has it. */
export function text<Value extends string | null = string>(): Column<Value, Value> {
  return as('text')
}

/** An integer; null where `Value` has it. */
export function integer<Value extends number | null = number>(): Column<Value, Value> {
  return as('integer')
}

/** A row's number, which the database assigns. */
export const numbering: Column<number, Numbering> = as('integer')

/** A truth value. */
export const flag: Column<boolean, Flag> = as('integer', Number, (stored) => stored === 1)

/** A truth value, or null. */
export const flagOrNull: Column<boolean | null, Flag | null> = orNull(flag)

/** An instant in ISO 8601. */
export const instant: Column<string, number> = as('integer', fromIso, (stored) => toIso(Number(stored)))

/** An instant in ISO 8601, or null. */
export const instantOrNull: Column<string | null, number | null> = orNull(instant)

/** A value as JSON. */
export function json<Value>(): Column<Value, string> {
  return as(
    'text',
    (value) => JSON.stringify(value),
    (stored) => JSON.parse(String(stored)) as Value,
  )
}

/** A value as JSON; null is a null in SQL. */
export function jsonOrNull<Value>(): Column<Value | null, string | null> {
  return orNull(json<Value>())
}

/** Gives a column another name than that of its field. */
export function named<const Name extends string, Value, Stored>(
  name: Name,
  column: Column<Value, Stored>,
): Column<Value, Stored, Name> {
  return { ...column, name }
}

function as<Value, Stored>(
  type: StoredAs,
  store = (value: Value) => value as string | number | null,
  read = (stored: string | number | null) => stored as Value,
): Column<Value, Stored> {
  return { type, name: null, store, read }
}

function orNull<Value, Stored>({ type, store, read }: Column<Value, Stored>): Column<Value | null, Stored | null> {
  return as(
    type,
    (value) => (value === null ? null : store(value)),
    (stored) => (stored === null ? null : read(stored)),
  )
}

// Columns of any type.
// oxlint-disable-next-line typescript/no-explicit-any
export type Columns = Readonly<Record<string, Column<any, any, any>>>

/** A row with a field for each column. */
export type RowOf<Fields extends Columns> = {
  readonly [Field in keyof Fields]: Fields[Field] extends Column<infer Value, unknown, string | null> ? Value : never
}

/** The columns of a table of fields, as queries have them. */
export type TableOf<Fields extends Columns> = {
  [Field in keyof Fields & string as NameOf<Field, Fields[Field]>]: Exclude<Fields[Field]['stored'], undefined>
}

type NameOf<Field extends string, Of> = Of extends { readonly name: infer Name extends string } ? Name : Snake<Field>

type Snake<Field extends string> = Field extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : ''

/** A table whose rows have a field for each column. */
export type FieldsSpec<Fields extends Columns, By extends string> = TableSpec<RowOf<Fields>, By> & {
  readonly fields: Fields
}

/**
 * Describes a table by the fields of its rows, in the order of the columns. Rows are looked up by the fields `by`; the first of them is the
 * primary key.
 */
export function tableOf<const Fields extends Columns, By extends keyof Fields & string>(
  name: string,
  fields: Fields,
  by: readonly [By, ...By[]],
): FieldsSpec<Fields, By> {
  const all = Object.entries(fields).map(([field, { type, name: own, store, read }]) => {
    return { field, name: nameOf(field, own), type, store, read }
  })
  const valueOf = (row: RowOf<Fields>, field: By) => row[field] as string | number | null
  return {
    name,
    fields,
    columns: Object.fromEntries(all.map((column) => [column.name, column.type])),
    keyOf: (row) => String(row[by[0]]),
    lookups: Object.fromEntries(
      by.map((field) => {
        const keyOf = (row: RowOf<Fields>) => {
          const value = valueOf(row, field)
          return value === null ? null : String(value)
        }
        return [field, { columns: [nameOf(field, fields[field]?.name)], keyOf }]
      }),
    ) as unknown as FieldsSpec<Fields, By>['lookups'],
    fromRow(stored) {
      const row: Record<string, unknown> = {}
      for (const { field, name: column, read } of all) row[field] = read(stored[column] ?? null)
      return row as RowOf<Fields>
    },
    toRow(row) {
      const stored: Record<string, string | number | null> = {}
      for (const { field, name: column, store } of all) stored[column] = store(row[field])
      return stored
    },
  }
}

function nameOf(field: string, name: string | null | undefined): string {
  return name ?? field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** Describes the same table for rows of another shape; their lookups find them by the fields of the same names. */
export function reshaped<Row, Fields extends Columns, By extends string>(
  spec: FieldsSpec<Fields, By>,
  flat: (row: Row) => RowOf<Fields>,
  shape: (fields: RowOf<Fields>) => Row,
): TableSpec<Row, By> {
  const lookups = Object.entries<Lookup<RowOf<Fields>>>(spec.lookups).map(([name, { columns, keyOf }]) => [
    name,
    { columns, keyOf: (row: Row) => keyOf(flat(row)) },
  ])
  return {
    ...spec,
    lookups: Object.fromEntries(lookups) as TableSpec<Row, By>['lookups'],
    keyOf: (row) => spec.keyOf(flat(row)),
    fromRow: (stored) => shape(spec.fromRow(stored)),
    toRow: (row) => spec.toRow(flat(row)),
  }
}
