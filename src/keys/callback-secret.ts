import { createHmac } from 'node:crypto'
import { equalsOneOf } from './constant-time.ts'
import type { KeyRing, SubKey } from './key-ring.ts'

/** The kind of object that a callback is about. */
export type CallbackKind = 'payment' | 'agreement' | 'payout' | 'gateway-payment'

/**
 * Returns the Authorization header that the payments API is asked to send to one callback URL, as `authorization_header`
 * (docs/payments-api.md, section 5): `Bearer v1.<key id>.<HMAC>`. It is derived from the correlation id in the URL, so it is not stored,
 * and every URL has its own.
 */
export function callbackAuthorization(ring: KeyRing, kind: CallbackKind, ref: string): string {
  return headerUnder(ring.subKeys('callback authorization')[0], kind, ref)
}

/**
 * Returns whether a callback's Authorization header is the one of this URL under any live signing key. Missing, malformed and forged
 * headers take the same code path and the same time (docs/payments-api.md, section 6.3).
 */
export function checkCallbackAuthorization(
  ring: KeyRing,
  kind: CallbackKind,
  ref: string,
  header: string | undefined,
): boolean {
  const expected = ring.subKeys('callback authorization').map((key) => headerUnder(key, kind, ref))
  return equalsOneOf(header ?? '', expected)
}

function headerUnder({ id, key }: SubKey, kind: CallbackKind, ref: string): string {
  const mac = createHmac('sha256', key).update(`${kind}|${ref}`, 'utf8').digest('base64url')
  return `Bearer v1.${id}.${mac}`
}
