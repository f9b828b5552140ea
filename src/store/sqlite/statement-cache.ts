/** Statements that stay prepared per connection: more than there are fixed queries, few enough for lists of any length. */
const MAX_PREPARED = 256

/** Prepares each text once, and keeps those used last; a `Map` remembers the order in which its keys were set. */
export function cachedStatements<Statement>(prepare: (sql: string) => Statement): (sql: string) => Statement {
  const kept = new Map<string, Statement>()
  return (sql) => {
    const prepared = kept.get(sql) ?? prepare(sql)
    kept.delete(sql)
    kept.set(sql, prepared)
    const [oldest] = kept.keys()
    if (kept.size > MAX_PREPARED && oldest !== undefined) kept.delete(oldest)
    return prepared
  }
}
