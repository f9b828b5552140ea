import { createHmac } from 'node:crypto'
import { equalsOneOf } from './constant-time.ts'
import type { KeyRing, SubKey } from './key-ring.ts'

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
