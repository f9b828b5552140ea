/** A value that is kept in the browser under a name; null where there is none, or none that can be read. */
export function kept(storage: Storage, name: string): unknown {
  try {
    return JSON.parse(storage.getItem(name) ?? 'null')
  } catch {
    return null
  }
}

/** Keeps a value. A browser that keeps nothing, or has no room, costs the customer a reload, and not the order. */
export function keep(storage: Storage, name: string, value: unknown): void {
  try {
    storage.setItem(name, JSON.stringify(value))
  } catch {
    // Everything that is needed in order to go on stands in the page's address.
  }
}
