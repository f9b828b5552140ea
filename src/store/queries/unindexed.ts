import { type RawBuilder, sql } from 'kysely'

/**
 * Returns a text as an expression, for which only an index on this expression is used. Of two conditions, the index of the one that
 * matches fewer rows has to be used, whatever the planner estimates.
 */
export function unindexed(text: RawBuilder<unknown>): RawBuilder<string> {
  return sql<string>`(${text} || '')`
}
