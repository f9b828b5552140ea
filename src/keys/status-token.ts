import { createHmac } from 'node:crypto'
import { equalsOneOf } from './constant-time.ts'
import type { KeyRing, SubKey } from './key-ring.ts'

/** The grant of a status token: its bearer may watch one link or payment (`subjectId`) until `expiresAt`. */
export type StatusGrant = { readonly subjectId: string; readonly expiresAt: Date }

const SHAPE = /^st1\.[0-9a-f]{8}\.([\w-]{9,1024})\.[\w-]{22}$/
const EXPIRY_BYTES = 6
const MAC_BYTES = 16
const MAX_SUBJECT_BYTES = 128

/**
 * Creates a token with which a payer's page can watch one subject without signing in: `st1.<key id>.<expiry and subject>.<MAC>`, URL-safe,
 * signed but not encrypted. Throws `RangeError` for an invalid date, and for a subject that is empty or longer than 128 bytes.
 */
export function issueStatusToken(ring: KeyRing, grant: StatusGrant): string {
  const subject = Buffer.from(grant.subjectId, 'utf8')
  if (subject.length === 0 || subject.length > MAX_SUBJECT_BYTES)
    throw new RangeError('A status token needs a subject of 1 to 128 bytes.')
  const expiry = Buffer.alloc(EXPIRY_BYTES)
  const milliseconds = grant.expiresAt.getTime()
  if (!(milliseconds >= 0 && milliseconds < 2 ** (8 * EXPIRY_BYTES)))
    throw new RangeError('A status token needs a valid expiry date.')
  expiry.writeUIntBE(milliseconds, 0, EXPIRY_BYTES)
  return tokenUnder(ring.subKeys('status token')[0], Buffer.concat([expiry, subject]).toString('base64url'))
}

/**
 * Returns the grant of a status token at the moment `now`; null if it is malformed, signed with a key that is not live, altered, or
 * expired. A token is expired from its expiry on.
 */
export function readStatusToken(ring: KeyRing, token: string, now: Date): StatusGrant | null {
  const body = SHAPE.exec(token)?.[1]
  if (body === undefined) return null
  const expected = ring.subKeys('status token').map((key) => tokenUnder(key, body))
  if (!equalsOneOf(token, expected)) return null
  const bytes = Buffer.from(body, 'base64url')
  const expiresAt = new Date(bytes.readUIntBE(0, EXPIRY_BYTES))
  if (expiresAt.getTime() <= now.getTime()) return null
  return { subjectId: bytes.subarray(EXPIRY_BYTES).toString('utf8'), expiresAt }
}

function tokenUnder({ id, key }: SubKey, body: string): string {
  const mac = createHmac('sha256', key).update(`${id}.${body}`, 'utf8').digest().subarray(0, MAC_BYTES)
  return `st1.${id}.${body}.${mac.toString('base64url')}`
}
