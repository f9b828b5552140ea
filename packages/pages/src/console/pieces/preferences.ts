import { useEffect, useState } from 'preact/hooks'
import { ofBrowser } from '../../storage.ts'

/** What users choose for this browser, with the values of each; the first one is the default. */
export const PREFERENCES = {
  theme: ['system', 'light', 'dark'],
  density: ['normal', 'compact'],
  zone: ['local', 'utc'],
} as const

export type PreferenceName = keyof typeof PREFERENCES

const listeners = new Set<() => void>()
const keyOf = (name: PreferenceName): string => `console.${name}`

/** Returns what the user has chosen. */
export function preference(name: PreferenceName): string {
  const found = ofBrowser.getItem(keyOf(name))
  return PREFERENCES[name].find((value) => value === found) ?? PREFERENCES[name][0]
}

/** Stores a choice for this browser, and applies it. */
export function prefer(name: PreferenceName, value: string): void {
  ofBrowser.setItem(keyOf(name), value)
  applyPreferences()
  for (const listener of listeners) listener()
}

/** Shows the page as the user has chosen. */
export function applyPreferences(): void {
  const { dataset } = document.documentElement
  dataset['theme'] = preference('theme')
  dataset['density'] = preference('density')
}

/** Returns a choice, and renders again when it changes. */
export function usePreference(name: PreferenceName): string {
  const [value, setValue] = useState(() => preference(name))
  useEffect(() => {
    const update = () => setValue(preference(name))
    listeners.add(update)
    return () => {
      listeners.delete(update)
    }
  }, [name])
  return value
}
