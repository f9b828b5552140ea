import type { AnySpec } from './rows/table.ts'

/** The parts of statements that differ between the databases. */
export type Dialect = {
  /** Returns the condition that columns have one of the values of a parameter. */
  oneOf(columns: readonly string[], spec: AnySpec, parameter: number): string
  /** Returns the source of an insert's rows, which follows the list of columns. */
  source(spec: AnySpec, parameter: number): string
}

/** Returns the select list of a row. */
function selected({ columns, numbered, derived }: AnySpec): string {
  if (derived !== undefined) return derived.select
  return [...(numbered === true ? ['number'] : []), ...Object.keys(columns)].join(', ')
}

/** Returns the statement that finds rows by a lookup, in any order: with ORDER BY a planner may scan the whole table in that order. */
export function selectStatement(dialect: Dialect, spec: AnySpec, lookup: string, parameter = 1): string {
  const columns = spec.lookups[lookup]?.columns ?? []
  const where = `FROM ${spec.name} WHERE ${dialect.oneOf(columns, spec, parameter)}`
  const group = spec.derived === undefined ? '' : ` GROUP BY ${spec.derived.groupBy}`
  return `SELECT ${selected(spec)} ${where}${group}`
}

/** Returns the statement that inserts rows; a duplicate key is an error. */
export function insertStatement(dialect: Dialect, spec: AnySpec, parameter = 1): string {
  return `INSERT INTO ${spec.name} (${Object.keys(spec.columns).join(', ')}) ${dialect.source(spec, parameter)}`
}

/** Returns the statement that deletes rows by their primary keys. */
export function deleteStatement(dialect: Dialect, spec: AnySpec, parameter = 1): string {
  return `DELETE FROM ${spec.name} WHERE ${dialect.oneOf([keyColumn(spec)], spec, parameter)}`
}

/** Returns the name of a table's primary key. */
export function keyColumn({ columns }: AnySpec): string {
  return Object.keys(columns)[0] ?? ''
}
