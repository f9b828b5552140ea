import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import type { KeyObject } from 'node:crypto'

/** Time of the tests: a whole second, in milliseconds since the epoch. */
export const NOW = 1_900_000_000_000
export const NOW_S = NOW / 1000

export type Claims = Readonly<Record<string, unknown>>

/** Claims that every verifier of these tests accepts for an hour. */
export const CLAIMS: Claims = {
  iss: 'issuer',
  aud: 'payments',
  sub: 'shop-1',
  scope: 'payments:read payments:write',
  exp: NOW_S + 3600,
}

/** A key pair of an issuer, with the public key as it is published. */
export type IssuerKey = {
  readonly privateKey: KeyObject
  readonly publicPem: string
  readonly jwk: object
  readonly kid: string
}

/** Creates a key pair that is published under `kid`. */
export function issuerKey(kid: string, type: 'rsa' | 'ec' | 'ed25519' = 'rsa'): IssuerKey {
  const { publicKey, privateKey } = pairOf(type)
  const publicPem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  return { privateKey, publicPem, kid, jwk: { ...publicKey.export({ format: 'jwk' }), kid } }
}

function pairOf(type: 'rsa' | 'ec' | 'ed25519'): { publicKey: KeyObject; privateKey: KeyObject } {
  if (type === 'rsa') return generateKeyPairSync('rsa', { modulusLength: 2048 })
  return type === 'ec' ? generateKeyPairSync('ec', { namedCurve: 'P-256' }) : generateKeyPairSync('ed25519')
}

/** Returns the encoded header and claims, which are the text to sign. Hand-written, because libraries refuse to create invalid tokens. */
export function unsigned(header: object | string, claims: Claims | string): string {
  const encode = (part: object | string): string =>
    Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url')
  return `${encode(header)}.${encode(claims)}`
}

/** Returns a token signed with HMAC-SHA256. */
export function hsToken(
  secret: string | Buffer,
  claims: Claims | string = CLAIMS,
  header: object = { alg: 'HS256' },
): string {
  const text = unsigned(header, claims)
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
}

/** Returns a token signed with RSA and SHA-256 (PKCS #1 v1.5). A header that is a string is signed without changes. */
export function rsToken(key: IssuerKey, claims: Claims | string = CLAIMS, header: object | string = {}): string {
  const text = unsigned(typeof header === 'string' ? header : { alg: 'RS256', kid: key.kid, ...header }, claims)
  return `${text}.${sign('sha256', Buffer.from(text), key.privateKey).toString('base64url')}`
}
