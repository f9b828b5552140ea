import { type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql'

/** Returns the names of the fields that a request selects of a field's objects; those that `@skip` leaves out are among them. */
export function selectedFields({ fieldNodes, fragments }: GraphQLResolveInfo): ReadonlySet<string> {
  const names = new Set<string>()
  const add = (selected: SelectionSetNode | undefined) => {
    for (const one of selected?.selections ?? []) {
      if (one.kind === Kind.FIELD) names.add(one.name.value)
      else add(one.kind === Kind.INLINE_FRAGMENT ? one.selectionSet : fragments[one.name.value]?.selectionSet)
    }
  }
  for (const { selectionSet } of fieldNodes) add(selectionSet)
  return names
}
