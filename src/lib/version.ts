import { readFileSync } from 'node:fs'

/** Returns the version of this program; `unknown` where its package.json is missing. */
export function programVersion(): string {
  try {
    const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
    return (JSON.parse(text) as { readonly version: string }).version
  } catch {
    return 'unknown'
  }
}
