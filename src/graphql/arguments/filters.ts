type WithoutNulls<Filter> = { [Key in keyof Filter]?: Exclude<Filter[Key], null | undefined> }

/** Returns a filter without its null fields, as the store expects it. In GraphQL a client may send null for an unused field. */
export function withoutNulls<Filter extends object>(filter: Filter | null | undefined): WithoutNulls<Filter> {
  const conditions = Object.entries(filter ?? {}).filter(([, value]) => value !== null && value !== undefined)
  return Object.fromEntries(conditions) as WithoutNulls<Filter>
}
