/**
 * Selects entries of a list. With either option the newest entries come first; with none, all entries in order of
 * occurrence.
 */
export type ListOptions = {
  /** Maximum number of entries. */
  limit?: number
  /** Only entries with a text or number that contains this text, ignoring case. */
  search?: string
}

/** Returns the selected entries of an append-only list in the form that is shown. */
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
