/** Returns a stored value of the browser; null when there is none or it cannot be parsed. */
export function kept(storage: Storage, name: string): unknown {
  try {
    return JSON.parse(storage.getItem(name) ?? 'null')
  } catch {
    return null
  }
}

/** Stores a value. When storage is disabled or full, the customer only loses the state on reload, not the order. */
export function keep(storage: Storage, name: string, value: unknown): void {
  try {
    storage.setItem(name, JSON.stringify(value))
  } catch {
    // The page's URL contains everything that is needed to continue.
  }
}
