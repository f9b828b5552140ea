import { readFileSync } from 'node:fs'
import type { ClientConfig } from 'pg'
import { StoreUnusableError } from '../store-errors.ts'

const MODE = 'sslmode'
/** Parameters that name files, and the options of Node.js that take their content. */
const FILES = { sslrootcert: 'ca', sslcert: 'cert', sslkey: 'key' } as const

/**
 * Returns the TLS options of a database URL. They are explicit, because the driver would otherwise use the default of Node.js for the
 * verification of certificates, which NODE_TLS_REJECT_UNAUTHORIZED changes, and PGSSLMODE if the URL has no `sslmode`. Only
 * `sslmode=no-verify` disables verification. Throws `StoreUnusableError` if a file cannot be read.
 */
export function connectionOf(text: string): Pick<ClientConfig, 'connectionString' | 'ssl'> {
  const url = new URL(text)
  const { searchParams } = url
  const mode = searchParams.get(MODE)
  const files = Object.entries(FILES).flatMap(([name, option]) => {
    const path = searchParams.get(name)
    return path === null ? [] : [[option, contentOf(path, name)] as const]
  })
  if (mode === 'disable' || (mode === null && files.length === 0)) return { connectionString: text, ssl: false }
  for (const name of [MODE, ...Object.keys(FILES)]) searchParams.delete(name)
  return {
    connectionString: url.href,
    ssl: { ...Object.fromEntries(files), rejectUnauthorized: mode !== 'no-verify' },
  }
}

function contentOf(path: string, name: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    throw new StoreUnusableError(`The file that DATABASE_URL names as ${name} cannot be read (${code}).`)
  }
}
