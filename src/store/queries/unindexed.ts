import { type RawBuilder, sql } from 'kysely'

/**
 * A text as a value of its own, which no index is looked up for but one that has it like this: of two conditions the one that
 * fits few rows is to be looked up, whatever a planner guesses of either.
 */
export function unindexed(text: RawBuilder<unknown>): RawBuilder<string> {
  return sql<string>`(${text} || '')`
}
