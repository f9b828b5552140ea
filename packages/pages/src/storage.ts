type Place = 'localStorage' | 'sessionStorage'

/** A storage of the browser of which no access fails. What cannot be stored, because storage is blocked or full, is kept until the page is left. */
export type SafeStorage = {
  getItem(name: string): string | null
  setItem(name: string, text: string): void
  removeItem(name: string): void
  /** Removes all items whose names begin so. */
  removeAll(prefix: string): void
}

/** The storage of this tab, and of this browser. */
export const ofTab = safeStorage('sessionStorage')
export const ofBrowser = safeStorage('localStorage')

function safeStorage(place: Place): SafeStorage {
  const left = new Map<string, string>()
  // With storage blocked, naming it already throws.
  const attempt = <Result>(access: (storage: Storage) => Result): Result | null => {
    try {
      return access(window[place])
    } catch {
      return null
    }
  }
  const removeItem = (name: string) => {
    left.delete(name)
    attempt((storage) => storage.removeItem(name))
  }
  return {
    getItem: (name) => left.get(name) ?? attempt((storage) => storage.getItem(name)),
    setItem(name, text) {
      removeItem(name)
      const isStored = attempt((storage) => {
        storage.setItem(name, text)
        return true
      })
      if (isStored === null) left.set(name, text)
    },
    removeItem,
    removeAll(prefix) {
      const stored = attempt((storage) => Object.keys(storage)) ?? []
      for (const name of [...left.keys(), ...stored]) if (name.startsWith(prefix)) removeItem(name)
    },
  }
}

/** Returns a stored value, parsed as JSON; null when there is none or it cannot be parsed. */
export function kept(storage: SafeStorage, name: string): unknown {
  try {
    return JSON.parse(storage.getItem(name) ?? 'null')
  } catch {
    return null
  }
}

/** Stores a value as JSON. */
export function keep(storage: SafeStorage, name: string, value: unknown): void {
  storage.setItem(name, JSON.stringify(value))
}
