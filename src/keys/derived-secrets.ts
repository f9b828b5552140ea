import { createHmac, createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { equalsOneOf, type KeyRing, type SubKey } from './key-ring.ts'

const HEADER = /^Bearer v1\.([0-9a-f]{8})\.[\w-]{43}$/

/** The kind of object that a callback is about. */
export type CallbackKind = 'payment' | 'agreement' | 'payout' | 'gateway-payment' | 'identity-check'

/**
 * Returns the Authorization header that the payments API is asked to send to one callback URL, as `authorization_header`
 * (docs/payments-api.md, section 5): `Bearer v1.<key id>.<HMAC>`. It is derived from the correlation id in the URL, so it is not stored,
 * and every URL has its own.
 */
export function callbackAuthorization(ring: KeyRing, kind: CallbackKind, ref: string): string {
  return headerUnder(ring.subKeys('callback authorization')[0], kind, ref)
}

/**
 * Returns the id of the live key under which a callback's Authorization header is the one of this URL; null if there is none. Missing,
 * malformed and forged headers take the same code path and the same time (docs/payments-api.md, section 6.3).
 */
export function callbackKeyOf(
  ring: KeyRing,
  kind: CallbackKind,
  ref: string,
  header: string | undefined,
): string | null {
  // Only a valid header ends the search early.
  const verifying = ring
    .subKeys('callback authorization')
    .find((key) => equalsOneOf(header ?? '', [headerUnder(key, kind, ref)]))
  return verifying?.id ?? null
}

/** Returns whether an Authorization header names a key that is not among the live ones; it may be forged. */
export function namesUnknownKey(ring: KeyRing, header: string | undefined): boolean {
  const id = HEADER.exec(header ?? '')?.[1]
  return id !== undefined && !ring.ids('CALLBACK_KEYS').includes(id)
}

function headerUnder({ id, key }: SubKey, kind: CallbackKind, ref: string): string {
  const mac = createHmac('sha256', key).update(`${kind}|${ref}`, 'utf8').digest('base64url')
  return `Bearer v1.${id}.${mac}`
}

/** The grant of a status token: its bearer may watch one link or payment (`subjectId`) until `expiresAt`. */
export type StatusGrant = { readonly subjectId: string; readonly expiresAt: Date }

const STATUS_TOKEN = /^st1\.[0-9a-f]{8}\.([\w-]{9,1024})\.[\w-]{22}$/
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
  const body = STATUS_TOKEN.exec(token)?.[1]
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

const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16
const SEALED = /^([a-z]{2}1)\.([0-9a-f]{8})\.([\w-]{38,6000})$/

/** The purposes of sealed values, each with the beginning of its text. */
const PREFIXES = { 'upload grant': 'ug1', 'export grant': 'eg1', 'card token': 'ct1', contact: 'co1' } as const

/** What is sealed: what a URL grants, or a value in the database. Each has keys of its own. */
export type SealPurpose = keyof typeof PREFIXES

/**
 * Seals a value that has a JSON form into a text for a URL or a column: `<prefix>.<key id>.<nonce, ciphertext and tag>`, with AES-256-GCM
 * (NIST SP 800-38D). Only a holder of the signing key can read or change it.
 */
export function seal(ring: KeyRing, purpose: SealPurpose, value: unknown): string {
  const { id, key } = ring.subKeys(purpose)[0]
  const text = JSON.stringify(value)
  const nonce = nonceFor(purpose, key, text)
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(id))
  const sealed = [nonce, cipher.update(text, 'utf8'), cipher.final()]
  return `${PREFIXES[purpose]}.${id}.${Buffer.concat([...sealed, cipher.getAuthTag()]).toString('base64url')}`
}

/** The id of a contact is the same each time: its nonce is a hash of what is sealed, so that only equal texts share one. */
function nonceFor(purpose: SealPurpose, key: SubKey['key'], text: string): Buffer {
  if (purpose !== 'contact') return randomBytes(NONCE_BYTES)
  return createHmac('sha256', key).update(text, 'utf8').digest().subarray(0, NONCE_BYTES)
}

/** Returns what `seal` sealed for the same purpose; null for any other text, and for one under a key that is not live. */
export function unseal(ring: KeyRing, purpose: SealPurpose, text: string): unknown {
  const [, prefix, id, body = ''] = SEALED.exec(text) ?? []
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

/** Returns a new correlation id, which is part of the address of callbacks: 128 random bits, so that it cannot be guessed. */
export function newCorrelationId(): string {
  return randomBytes(16).toString('base64url')
}
