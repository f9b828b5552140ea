import type { Compilable, CompiledQuery } from 'kysely'
import type { Db } from '../group-commit.ts'

/** Queries for longer lists are not cached. */
const MAX_VALUES = 128

/**
 * Creates a function that reads rows by a list of values. Its query is compiled once for each length of the list. `query` returns the
 * query for some values; they must be its only parameters.
 */
export function lookUp<Row>(
  db: Db,
  query: (values: readonly string[]) => Compilable<Row>,
): (values: readonly string[]) => Promise<readonly Row[]> {
  const compiled = new Map<number, CompiledQuery<Row>>()
  return async (values) => {
    if (values.length === 0) return []
    const known = compiled.get(values.length) ?? query(values).compile()
    if (values.length <= MAX_VALUES) compiled.set(values.length, known)
    const { rows } = await db.executeQuery<Row>({ ...known, parameters: values })
    return rows
  }
}
