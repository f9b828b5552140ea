import { createHash } from 'node:crypto'

/** Statements that stay prepared per connection: more than there are fixed queries, few enough for lists of any length. */
const MAX_PREPARED = 256

/** Names for the prepared statements of a connection: what has a name is parsed and planned once. */
export type StatementNames = {
  /** The name for a text, if it is to have one. */
  of(sql: string): { readonly name?: string }
  /** Has everything prepared anew. */
  renew(): void
}

/**
 * A name is a digest of its text. Behind a pooler that nobody noticed, two clients may prepare statements in one session: under
 * the same name they then have the same text, and neither can run a statement of the other's in place of its own.
 */
export function createStatementNames(): StatementNames {
  const names = new Map<string, { readonly name: string }>()
  let round = 0
  return {
    of(sql) {
      if (!names.has(sql) && names.size < MAX_PREPARED) names.set(sql, { name: `q${round}_${digestOf(sql)}` })
      return names.get(sql) ?? {}
    },
    renew() {
      names.clear()
      round += 1
    },
  }
}

function digestOf(sql: string): string {
  return createHash('sha256').update(sql).digest('base64url')
}
