import type { AnySpec } from './rows/table.ts'

/** How one database writes what the other writes otherwise. */
export type Dialect = {
  /** The condition that columns have one of the values of a parameter. */
  oneOf(columns: readonly string[], spec: AnySpec, parameter: number): string
  /** The parameters or rows from which an insert takes its values, behind the list of columns. */
  source(spec: AnySpec, parameter: number): string
}

/** The names of the columns that a row is read from. */
export function selected({ columns, numbered, derived }: AnySpec): string {
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

/** Inserts rows, or replaces those that have their primary keys. */
export function upsertStatement(dialect: Dialect, spec: AnySpec, parameter = 1): string {
  const names = Object.keys(spec.columns)
  const [key = '', ...others] = names
  const insert = `INSERT INTO ${spec.name} (${names.join(', ')}) ${dialect.source(spec, parameter)}`
  if (spec.appendOnly === true) return insert
  const assignments = others.map((name) => `${name} = excluded.${name}`).join(', ')
  return `${insert} ON CONFLICT (${key}) DO UPDATE SET ${assignments}`
}

/** Deletes rows by their primary keys. */
export function deleteStatement(dialect: Dialect, spec: AnySpec, parameter = 1): string {
  const [key = ''] = Object.keys(spec.columns)
  return `DELETE FROM ${spec.name} WHERE ${dialect.oneOf([key], spec, parameter)}`
}
