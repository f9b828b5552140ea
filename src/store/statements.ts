import type { AnySpec } from './rows/table.ts'

/** How one database writes what the other writes otherwise. */
export type Dialect = {
  /** The condition that columns have one of the values of a parameter. */
  oneOf(columns: readonly string[], spec: AnySpec, parameter: number): string
  /** Where an insert takes its rows from, behind the list of columns. */
  source(spec: AnySpec, parameter: number): string
}

/** The names of the columns that a row is read from. */
function selected({ columns, numbered, derived }: AnySpec): string {
  if (derived !== undefined) return derived.select
  return [...(numbered === true ? ['number'] : []), ...Object.keys(columns)].join(', ')
}

/** Finds rows by a lookup, in any order: a planner that is asked for an order may read a whole table in it. */
export function selectStatement(dialect: Dialect, spec: AnySpec, lookup: string, parameter = 1): string {
  const columns = spec.lookups[lookup]?.columns ?? []
  const where = `FROM ${spec.name} WHERE ${dialect.oneOf(columns, spec, parameter)}`
  const group = spec.derived === undefined ? '' : ` GROUP BY ${spec.derived.groupBy}`
  return `SELECT ${selected(spec)} ${where}${group}`
}

/** Inserts rows; one whose key is taken is an error. */
export function insertStatement(dialect: Dialect, spec: AnySpec, parameter = 1): string {
  return `INSERT INTO ${spec.name} (${Object.keys(spec.columns).join(', ')}) ${dialect.source(spec, parameter)}`
}

/** Deletes rows by their primary keys. */
export function deleteStatement(dialect: Dialect, spec: AnySpec, parameter = 1): string {
  return `DELETE FROM ${spec.name} WHERE ${dialect.oneOf([keyColumn(spec)], spec, parameter)}`
}

/** The name of a table's primary key. */
export function keyColumn({ columns }: AnySpec): string {
  return Object.keys(columns)[0] ?? ''
}
