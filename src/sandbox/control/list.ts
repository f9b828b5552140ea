/** Which entries of a list are asked for. With either, the newest come first; without both, all come as they happened. */
export type ListOptions = {
  /** At most so many. */
  limit?: number
  /** Only those of which one of the texts or numbers has this in it, whatever the case. */
  search?: string
}

/** The entries of a list that grows at its end, as they are shown, and as many as are asked for. */
export function listed<Entry, View extends object>(
  entries: readonly Entry[],
  view: (entry: Entry) => View,
  { limit, search }: ListOptions = {},
): View[] {
  if (limit === undefined && search === undefined) return entries.map(view)
  const needle = search?.toLowerCase() ?? ''
  const found: View[] = []
  for (let index = entries.length - 1; index >= 0 && found.length < (limit ?? Infinity); index -= 1) {
    const entry = entries[index]
    if (entry === undefined) continue
    const shown = view(entry)
    if (mentions(shown, needle)) found.push(shown)
  }
  return found
}

function mentions(view: object, needle: string): boolean {
  if (needle === '') return true
  return Object.values(view).some(
    (value) => (typeof value === 'string' || typeof value === 'number') && String(value).toLowerCase().includes(needle),
  )
}
