import { type RawBuilder, sql } from 'kysely'

/**
 * A text column as a value of its own, which no index is looked up for: of two conditions the one that names few rows is to
 * be looked up, and the other to be tested on those, whatever a planner guesses of either.
 */
export function unindexed(column: string): RawBuilder<string> {
  return sql<string>`(${sql.ref(column)} || '')`
}
