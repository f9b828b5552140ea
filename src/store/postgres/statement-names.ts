import { createHash } from 'node:crypto'

/** Maximum number of prepared statements per connection: more than the fixed queries; limits those for lists of different lengths. */
const MAX_PREPARED = 256

/** Names of the prepared statements of a connection. A named statement is parsed and planned once. */
export type StatementNames = {
  /** Returns the name for a text; no name if 256 texts already have one. */
  of(sql: string): { readonly name?: string }
  /** Causes all statements to be prepared again, under new names. */
  renew(): void
}

/**
 * Creates names that contain a digest of the text. Behind a pooler that was not detected, two clients may prepare statements in one
 * session: the same name then always means the same text, so that neither client runs a wrong statement.
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
