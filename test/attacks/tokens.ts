import { createHmac, sign, type KeyObject } from 'node:crypto'
import { CLAIMS, hsToken, issuerKey, NOW_S, rsToken, unsigned, type Claims } from '../unit/access/tokens.ts'

/** The issuer's public keys: one of each kind. */
export const KEY = issuerKey('key-1')
export const EC_KEY = issuerKey('key-2', 'ec')

/** A key of the attacker. */
const OWN_KEY = issuerKey('key-1')

/** A token's name and its factory. `lure` is a URL under the attacker's control that must not be called. */
export type Attack = readonly [name: string, make: (lure: string) => string]

const NOW = Math.floor(Date.now() / 1000)

/** Claims that are wrong, to be signed correctly. Texts are signed as they are. */
const WRONG_CLAIMS: Readonly<Record<string, Claims | string>> = {
  'another iss': { ...CLAIMS, iss: 'other' },
  'an iss in other letters': { ...CLAIMS, iss: 'ISSUER' },
  'an iss in a list': { ...CLAIMS, iss: ['issuer'] },
  'no iss': { ...CLAIMS, iss: undefined },
  'another aud': { ...CLAIMS, aud: 'other' },
  'an aud that begins alike': { ...CLAIMS, aud: 'payments.evil' },
  'a list of other auds': { ...CLAIMS, aud: ['other', 'payments2'] },
  'an empty list in aud': { ...CLAIMS, aud: [] },
  'an object in aud': { ...CLAIMS, aud: { payments: 'payments' } },
  'no aud': { ...CLAIMS, aud: undefined },
  'exp as text': { ...CLAIMS, exp: String(NOW_S) },
  'exp as a date': { ...CLAIMS, exp: '2040-01-01T00:00:00Z' },
  'exp in a list': { ...CLAIMS, exp: [NOW_S] },
  'exp in an object': { ...CLAIMS, exp: { $gt: 0 } },
  'exp true': { ...CLAIMS, exp: true },
  'exp null': { ...CLAIMS, exp: null },
  'no exp': { ...CLAIMS, exp: undefined },
  'exp infinite': JSON.stringify(CLAIMS).replace(/"exp":\d+/, '"exp":1e999'),
  'exp twice': JSON.stringify(CLAIMS).replace('{', '{"exp":1,'),
  'exp spelt in two ways': JSON.stringify(CLAIMS).replace('{', String.raw`{"e\u0078p":1,`),
  'nbf in the future': { ...CLAIMS, nbf: NOW + 60 },
  'nbf far in the future': { ...CLAIMS, nbf: 1e300 },
  'nbf as text': { ...CLAIMS, nbf: '0' },
  'nbf null': { ...CLAIMS, nbf: null },
  'iat as text': { ...CLAIMS, iat: '0' },
  'iat null': { ...CLAIMS, iat: null },
  'iat in an object': { ...CLAIMS, iat: {} },
  'sub as a number': { ...CLAIMS, sub: 7 },
  'sub in a list': { ...CLAIMS, sub: ['shop-1'] },
  'scope in an object': { ...CLAIMS, scope: { 'payments:read': true } },
  'scope as a number': { ...CLAIMS, scope: 7 },
  'scope with more than texts': { ...CLAIMS, scope: ['payments:read', null] },
  'scope in lists of lists': { ...CLAIMS, scope: [['payments:read']] },
  'scope twice': JSON.stringify(CLAIMS).replace('{', '{"scope":"",'),
  'claims in a list': JSON.stringify([CLAIMS]),
  'claims that are null': 'null',
  'claims that are text': '"claims"',
  'claims that are no JSON': '{',
  'two sets of claims': `${JSON.stringify(CLAIMS)}${JSON.stringify(CLAIMS)}`,
}

/** Headers that are wrong, to be signed correctly. Texts are signed as they are. */
const WRONG_HEADERS: Readonly<Record<string, object | string>> = {
  'typ of a proof': { typ: 'dpop+jwt' },
  'typ of a logout': { typ: 'logout+jwt' },
  'typ as a number': { typ: 7 },
  'an empty typ': { typ: '' },
  'an unknown critical header': { crit: ['exp'], exp: 1 },
  'a critical header that is not there': { crit: ['b64'] },
  'an empty list of critical headers': { crit: [] },
  'critical headers that are no list': { crit: 'b64', b64: true },
  'an unencoded payload': { crit: ['b64'], b64: false },
  'alg twice': '{"alg":"none","alg":"RS256","kid":"key-1"}',
  'kid twice': '{"alg":"RS256","kid":"other","kid":"key-1"}',
  'alg in a list': { alg: ['RS256'] },
  'alg in small letters': { alg: 'rs256' },
  'alg of another length': { alg: 'RS512' },
  'alg with other padding': { alg: 'PS256' },
  'alg of another curve': { alg: 'ES256' },
  'alg EdDSA': { alg: 'EdDSA' },
  'kid as a path': { kid: '../../../../dev/null' },
  'kid as an address': { kid: 'http://169.254.169.254/latest/meta-data' },
  'kid as SQL': { kid: "key-1' UNION SELECT 'secret' --" },
  'kid as a command': { kid: 'key-1|/usr/bin/id' },
  'kid with NUL': { kid: 'key-1\u0000' },
  'kid __proto__': '{"alg":"RS256","kid":"__proto__"}',
  'kid as a number': { kid: 1 },
  'kid in a list': { kid: ['key-1'] },
  'kid null': { kid: null },
  'the kid of another key': { kid: 'key-2' },
  'a header in a list': '[{"alg":"RS256","kid":"key-1"}]',
  'a header that is no JSON': '{"alg":"RS256"',
}

/** Tokens that the attacker signs, or valid tokens that the attacker changes. */
const FORGERIES: readonly Attack[] = [
  ...['none', 'None', 'NONE', 'nOnE', 'none ', ' none', '', 'null', '\u0000none'].map((alg): Attack => [
    `alg ${JSON.stringify(alg)}`,
    () => withSignature({ alg, kid: 'key-1' }, signatureOf(valid())),
  ]),
  ['alg none and no signature', () => `${unsigned({ alg: 'none' }, CLAIMS)}.`],
  ['no alg', () => withSignature({ kid: 'key-1' }, signatureOf(valid()))],
  ['HS256 with the public key in PEM', () => hsToken(KEY.publicPem, CLAIMS, { alg: 'HS256', kid: 'key-1' })],
  ['HS256 with its lines joined', () => hsToken(KEY.publicPem.trim(), CLAIMS, { alg: 'HS256', kid: 'key-1' })],
  ['HS256 with the public key in DER', () => hsToken(derOf(KEY.publicPem), CLAIMS, { alg: 'HS256', kid: 'key-1' })],
  ['HS256 with what is published', () => hsToken(JSON.stringify(KEY.jwk), CLAIMS, { alg: 'HS256', kid: 'key-1' })],
  ['HS256 with nothing', () => hsToken('', CLAIMS, { alg: 'HS256', kid: '' })],
  ['HS512 with the public key', () => hs512(KEY.publicPem)],
  ['a key of the attacker', () => rsToken(OWN_KEY)],
  ['a key that it brings along', () => rsToken(OWN_KEY, CLAIMS, { jwk: OWN_KEY.jwk })],
  ['a key that it brings along and no kid', () => rsToken(OWN_KEY, CLAIMS, { jwk: OWN_KEY.jwk, kid: undefined })],
  [
    'a certificate that it brings along',
    () => rsToken(OWN_KEY, CLAIMS, { x5c: [derOf(KEY.publicPem).toString('base64')] }),
  ],
  ['the address of a set of keys', (lure) => rsToken(OWN_KEY, CLAIMS, { jku: lure })],
  ['the address of a certificate', (lure) => rsToken(OWN_KEY, CLAIMS, { x5u: lure })],
  ['an address as kid', (lure) => rsToken(OWN_KEY, CLAIMS, { kid: lure, jku: lure, x5u: lure })],
  ['a signature of nothing but zeros', () => withSignature({ alg: 'ES256', kid: 'key-2' }, Buffer.alloc(64))],
  ['a signature in DER', () => es256(EC_KEY.privateKey, 'der')],
  ['an empty signature', () => `${unsigned({ alg: 'RS256', kid: 'key-1' }, CLAIMS)}.`],
  ['the signature of other claims', () => withSignature({ alg: 'RS256', kid: 'key-1' }, signatureOf(rsToken(KEY, {})))],
  ['a signature cut short', () => valid().slice(0, -4)],
  ['a signature with another end', () => respelt(valid())],
  ['padding', () => `${valid()}==`],
  ['two parts', () => valid().split('.', 2).join('.')],
  ['four parts', () => `${valid()}.${valid().split('.')[2]}`],
  ['the five parts of an encrypted token', () => encrypted()],
  ['a token in a token', () => rsToken(KEY, JSON.stringify(valid()), { cty: 'JWT' })],
  [
    'JSON in the place of the compact form',
    () => Buffer.from(JSON.stringify({ payload: valid() })).toString('base64url'),
  ],
  ['more than 8 KiB', () => sized(8 * 1024 + 1)],
  ['a kid of 10,000 characters', () => rsToken(KEY, CLAIMS, { kid: 'k'.repeat(10_000) }).slice(0, 12_000)],
  ['one word', () => 'token'],
  ['dots', () => '..'],
]

/** Every token that must be rejected for another reason than its expiry. */
export const ATTACKS: readonly Attack[] = [
  ...Object.entries(WRONG_CLAIMS).map(([name, claims]): Attack => [name, () => rsToken(KEY, claims)]),
  ...Object.entries(WRONG_HEADERS).map(([name, header]): Attack => [name, () => rsToken(KEY, CLAIMS, header)]),
  ...FORGERIES,
]

/** Valid tokens that have expired. */
export const EXPIRED: readonly Attack[] = [NOW - 1, NOW - 86_400, NOW - 0.5, 0, -1, -1e300].map((exp): Attack => [
  `exp ${exp}`,
  () => rsToken(KEY, { ...CLAIMS, exp }),
])

/** Unusual but valid tokens. */
export const GOOD: readonly Attack[] = [
  ['nothing unusual', () => valid()],
  ['ES256', () => es256(EC_KEY.privateKey, 'ieee-p1363')],
  ['typ at+jwt', () => rsToken(KEY, CLAIMS, { typ: 'at+jwt' })],
  ['no kid', () => rsToken(KEY, CLAIMS, { kid: undefined })],
  ['our aud among others', () => rsToken(KEY, { ...CLAIMS, aud: ['other', 'payments'] })],
  ['a fraction of a second in exp', () => rsToken(KEY, { ...CLAIMS, exp: NOW + 600.5 })],
  ['exp beyond every date', () => rsToken(KEY, { ...CLAIMS, exp: 1e300 })],
  ['nbf and iat below zero', () => rsToken(KEY, { ...CLAIMS, nbf: -1e300, iat: -1 })],
  ['scope in a list', () => rsToken(KEY, { ...CLAIMS, scope: ['payments:read'] })],
  ['rights that are not ours beside one that is', () => rsToken(KEY, { ...CLAIMS, scope: 'openid payments:read x' })],
  ['a key of another that it brings along', () => rsToken(KEY, CLAIMS, { jwk: OWN_KEY.jwk })],
  ['exactly 8 KiB', () => sized(8 * 1024)],
]

/** Returns a token with the scope `payments:read`. */
export function valid(): string {
  return rsToken(KEY)
}

/** Returns a valid token of exactly this many bytes: three more characters of a claim add four bytes, and the header supplies the rest. */
function sized(bytes: number): string {
  const grown = (padding: number, odd: number) =>
    rsToken(KEY, { ...CLAIMS, padding: 'x'.repeat(padding) }, { odd: 'x'.repeat(odd) })
  const least = Math.floor(((bytes - grown(0, 3).length) * 3) / 4) - 4
  const tries = Array.from({ length: 40 }, (_, index) => grown(least + Math.floor(index / 4), index % 4))
  const found = tries.find(({ length }) => length === bytes)
  if (found === undefined) throw new Error(`No token of ${bytes} bytes can be made.`)
  return found
}

function withSignature(header: object, signature: Buffer): string {
  return `${unsigned(header, CLAIMS)}.${signature.toString('base64url')}`
}

function signatureOf(token: string): Buffer {
  return Buffer.from(token.split('.')[2] ?? '', 'base64url')
}

/** Returns the same token with unused bits set in the last character of its signature. */
function respelt(token: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  return `${token.slice(0, -1)}${alphabet[alphabet.indexOf(token.slice(-1)) + 1]}`
}

function derOf(pem: string): Buffer {
  return Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ''), 'base64')
}

function hs512(secret: string): string {
  const text = unsigned({ alg: 'HS512', kid: 'key-1' }, CLAIMS)
  return `${text}.${createHmac('sha512', secret).update(text).digest('base64url')}`
}

function es256(key: KeyObject, dsaEncoding: 'der' | 'ieee-p1363'): string {
  const text = unsigned({ alg: 'ES256', kid: 'key-2' }, CLAIMS)
  return `${text}.${sign('sha256', Buffer.from(text), { key, dsaEncoding }).toString('base64url')}`
}

function encrypted(): string {
  const header = Buffer.from(JSON.stringify({ alg: 'dir', enc: 'A256GCM', kid: 'key-1' })).toString('base64url')
  return [
    header,
    '',
    'AAAAAAAAAAAAAAAA',
    Buffer.from(JSON.stringify(CLAIMS)).toString('base64url'),
    'AAAAAAAAAAAAAAAAAAAAAA',
  ].join('.')
}
