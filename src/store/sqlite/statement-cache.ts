/** Maximum number of prepared statements per connection: more than the fixed queries; limits those for lists of different lengths. */
const MAX_PREPARED = 256

/** Returns a function that caches prepared statements by text, and evicts the least recently used: a `Map` keeps insertion order. */
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
