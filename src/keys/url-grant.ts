import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { KeyRing, SubKey } from './key-ring.ts'

const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16
const SHAPE = /^([a-z]{2}1)\.([0-9a-f]{8})\.([\w-]{38,6000})$/

/** The purposes of grants, each with the beginning of its text. */
const PREFIXES = { 'upload grant': 'ug1', 'export grant': 'eg1' } as const

/** What a URL may grant. Each has keys of its own. */
export type GrantPurpose = keyof typeof PREFIXES

/**
 * Seals what a URL grants into a text for it: `<prefix>.<key id>.<nonce, ciphertext and tag>`, with AES-256-GCM (NIST SP 800-38D). Only a
 * holder of the signing key can read or change it, so the URL tells nothing of its value, which has a JSON form.
 */
export function sealGrant(ring: KeyRing, purpose: GrantPurpose, value: unknown): string {
  const { id, key } = ring.subKeys(purpose)[0]
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(id))
  const sealed = [nonce, cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]
  return `${PREFIXES[purpose]}.${id}.${Buffer.concat([...sealed, cipher.getAuthTag()]).toString('base64url')}`
}

/** Returns what `sealGrant` sealed for the same purpose; null for any other text, and for one under a key that is not live. */
export function openGrant(ring: KeyRing, purpose: GrantPurpose, text: string): unknown {
  const [, prefix, id, body = ''] = SHAPE.exec(text) ?? []
  if (prefix !== PREFIXES[purpose]) return null
  const subKey = ring.subKeys(purpose).find((candidate) => candidate.id === id)
  return subKey === undefined ? null : opened(subKey, Buffer.from(body, 'base64url'))
}

function opened({ id, key }: SubKey, bytes: Buffer): unknown {
  const [nonce, tag] = [bytes.subarray(0, NONCE_BYTES), bytes.subarray(-TAG_BYTES)]
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
  try {
    decipher.setAAD(Buffer.from(id)).setAuthTag(tag)
    const text = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()])
    return JSON.parse(text.toString('utf8')) as unknown
  } catch {
    return null
  }
}
