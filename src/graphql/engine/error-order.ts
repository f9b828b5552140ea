import type { GraphQLError } from 'graphql'

type Path = NonNullable<GraphQLError['path']>

/** Returns the errors sorted by the position of their field in the document; errors of one field by path. */
export function inDocumentOrder(errors: readonly GraphQLError[]): GraphQLError[] {
  return errors.toSorted(
    (a, b) => (a.positions?.[0] ?? 0) - (b.positions?.[0] ?? 0) || comparePaths(a.path ?? [], b.path ?? []),
  )
}

/** Compares paths by the first keys that differ: list indexes as numbers, names as strings. */
function comparePaths(a: Path, b: Path): number {
  for (const [at, key] of a.entries()) {
    const other = b[at]
    if (key === other) continue
    if (typeof key === 'number' && typeof other === 'number') return key - other
    return String(key) < String(other) ? -1 : 1
  }
  return 0
}
