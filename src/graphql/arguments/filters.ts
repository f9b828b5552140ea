type WithoutNulls<Filter> = { [Key in keyof Filter]?: Exclude<Filter[Key], null | undefined> }

/** A filter as the store takes it: GraphQL lets a client write null for what it does not ask about. */
export function withoutNulls<Filter extends object>(filter: Filter | null | undefined): WithoutNulls<Filter> {
  const conditions = Object.entries(filter ?? {}).filter(([, value]) => value !== null && value !== undefined)
  return Object.fromEntries(conditions) as WithoutNulls<Filter>
}
