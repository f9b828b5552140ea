import type { GraphQLError } from 'graphql'

type Path = NonNullable<GraphQLError['path']>

/** Errors of fields by the positions of the fields in the document; those of one field by the paths of its objects. */
export function inDocumentOrder(errors: readonly GraphQLError[]): GraphQLError[] {
  return errors.toSorted(
    (a, b) => (a.positions?.[0] ?? 0) - (b.positions?.[0] ?? 0) || comparePaths(a.path ?? [], b.path ?? []),
  )
}

/** By their first keys that differ: positions in lists by number, names as texts. */
function comparePaths(a: Path, b: Path): number {
  for (const [at, key] of a.entries()) {
    const other = b[at]
    if (key === other) continue
    if (typeof key === 'number' && typeof other === 'number') return key - other
    return String(key) < String(other) ? -1 : 1
  }
  return 0
}
