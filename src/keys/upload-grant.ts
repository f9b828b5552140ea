import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { KeyRing, SubKey } from './key-ring.ts'

const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16
const SHAPE = /^ug1\.([0-9a-f]{8})\.([\w-]{38,6000})$/

/**
 * Seals what an upload is about into a text for its URL: `ug1.<key id>.<nonce, ciphertext and tag>`, with AES-256-GCM (NIST SP 800-38D). Only a
 * holder of the signing key can read or change it, so the URL tells nothing about the person. `value` has a JSON form.
 */
export function sealUploadGrant(ring: KeyRing, value: unknown): string {
  const { id, key } = ring.subKeys('upload grant')[0]
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(id))
  const sealed = [nonce, cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]
  return `ug1.${id}.${Buffer.concat([...sealed, cipher.getAuthTag()]).toString('base64url')}`
}

/** Returns what `sealUploadGrant` sealed; null for any other text, and for one under a key that is not live. */
export function openUploadGrant(ring: KeyRing, text: string): unknown {
  const [, id, body = ''] = SHAPE.exec(text) ?? []
  const subKey = ring.subKeys('upload grant').find((candidate) => candidate.id === id)
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
