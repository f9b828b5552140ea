import { randomBytes, randomUUID } from 'node:crypto'
import { chmodSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from 'payments-subgraph-lib/make-folder'
import * as z from 'zod'
import type { GenerateKey } from './config.ts'

/** The file of development keys cannot be used. The message names the file and the reason, but none of its content. */
export class DevelopmentKeysError extends Error {
  override readonly name = 'DevelopmentKeysError'
  readonly code = 'DEVELOPMENT_KEYS'
  readonly safeMessage = true
}

const FILE = 'dev-keys.json'
const OWNER_ONLY = 0o600
const OWNER_ONLY_FOLDER = 0o700
const key = z.string().regex(/^[\w-]{43}$/)
const keysSchema = z.object({ WEBHOOK_SECRETS: key, SIGNING_KEYS: key, JWT_SECRETS: key })

type Keys = z.infer<typeof keysSchema>

/**
 * Returns a function that returns development keys, which stay the same across restarts. They are stored in `dev-keys.json` in a
 * separate folder; both are accessible to their owner only. Nothing is read or written before the first key is requested. The
 * returned function throws `DevelopmentKeysError` if the file can be neither read nor created.
 */
export function loadDevelopmentKeys(folder: string): GenerateKey {
  let keys: Keys | null = null
  return (setting) => {
    keys ??= readOrCreate(folder)
    return keys[setting]
  }
}

function readOrCreate(folder: string): Keys {
  const file = join(folder, FILE)
  try {
    const keys = readKeys(file) ?? createKeys(folder, file)
    closeFolder(folder)
    return keys
  } catch (error) {
    if (error instanceof DevelopmentKeysError) throw error
    throw new DevelopmentKeysError(`The development keys cannot be kept in ${file} (${codeOf(error)}).`)
  }
}

function readKeys(file: string): Keys | null {
  const text = contentOf(file)
  if (text === null) return null
  chmodSync(file, OWNER_ONLY)
  const keys = keysSchema.safeParse(jsonOf(text))
  if (!keys.success)
    throw new DevelopmentKeysError(`${file} contains no development keys. Delete it, and it is created again.`)
  return keys.data
}

/**
 * Written under another name first: a process that starts at the same time sees the whole file or none, and all use the same
 * keys.
 */
function createKeys(folder: string, file: string): Keys {
  makeFolder(folder, OWNER_ONLY_FOLDER)
  const draft = join(folder, `${FILE}.${randomUUID()}`)
  const keys: Keys = { WEBHOOK_SECRETS: randomKey(), SIGNING_KEYS: randomKey(), JWT_SECRETS: randomKey() }
  try {
    writeFileSync(draft, `${JSON.stringify(keys, null, 2)}\n`, { mode: OWNER_ONLY, flag: 'wx' })
    linkSync(draft, file)
    return keys
  } catch (error) {
    const others = codeOf(error) === 'EEXIST' ? readKeys(file) : null
    if (others === null) throw error
    return others
  } finally {
    rmSync(draft, { force: true })
  }
}

/**
 * The database is in the same folder, which may have been made before, and open. A folder of another owner, such as a volume's, is not
 * changed.
 */
function closeFolder(folder: string): void {
  try {
    chmodSync(folder, OWNER_ONLY_FOLDER)
  } catch (error) {
    if (codeOf(error) !== 'EPERM') throw error
  }
}

function contentOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown'
}

function randomKey(): string {
  return randomBytes(32).toString('base64url')
}
