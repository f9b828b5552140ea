import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { InvalidTokenError } from '../../../src/access/caller.ts'
import { issueDevelopmentToken } from '../../../src/access/issue-token.ts'
import { createTokenVerifier } from '../../../src/access/verify-token.ts'
import { Secret } from '../../../src/keys/key-ring.ts'
import { CLAIMS, NOW, NOW_S, hsToken, unsigned } from './tokens.ts'

const TEXT = 'client-secret-of-more-than-64-bytes-long-enough-for-every-algorithm-of-its-kind'
const clients = {
  kind: 'secret',
  secrets: [new Secret(TEXT)],
  issuer: 'issuer',
  audience: 'payments',
  scopeClaims: null,
  scopePrefix: null,
} as const

/** Returns a valid token with an algorithm that is not supported. */
function hs512Token(): string {
  const text = unsigned({ alg: 'HS512' }, CLAIMS)
  return `${text}.${createHmac('sha512', TEXT).update(text).digest('base64url')}`
}

const verify = (token: string, now = NOW) => createTokenVerifier(clients, { clock: () => now }).verify(token)
const refusalOf = async (token: string, now = NOW): Promise<unknown> =>
  verify(token, now).then(
    () => 'accepted',
    (error: unknown) => error,
  )

describe('a token signed with the shared secret', () => {
  it('gives subject, rights and expiry', async () => {
    expect(await verify(hsToken(TEXT))).toEqual({
      kind: 'client',
      subject: 'shop-1',
      name: 'shop-1',
      identity: expect.stringMatching(/^[\w-]{43}$/),
      scopes: new Set(['payments:read', 'payments:write']),
      expiresAt: NOW + 3_600_000,
    })
  })

  it.each<[string, object, unknown]>([
    ['no scope', { scope: undefined }, []],
    [
      'a list in scope',
      { scope: ['payments:read', 'payments:pii banks:lookup'] },
      ['payments:read', 'payments:pii', 'banks:lookup'],
    ],
    ['a text in scp', { scope: undefined, scp: ' payments:read  payments:pii ' }, ['payments:read', 'payments:pii']],
    ['a list in scp', { scope: undefined, scp: ['payments:read'] }, ['payments:read']],
    ['scope beside scp', { scope: 'payments:read', scp: 'payments:write' }, ['payments:read']],
    ['rights that are not ours', { scope: 'openid Payments:write payments:* payments:read\tpayments:pii a,b' }, []],
    ['the same right twice', { scope: 'payments:read payments:read' }, ['payments:read']],
  ])('may have %s', async (_name, claims, scopes) => {
    expect([...(await verify(hsToken(TEXT, { ...CLAIMS, ...claims }))).scopes]).toEqual(scopes)
  })

  it('tells callers apart by issuer and subject, or by the client where there is no subject', async () => {
    const identityOf = async (claims: object) => (await verify(hsToken(TEXT, { ...CLAIMS, ...claims }))).identity
    const distinct = [
      {},
      { sub: 'another' },
      { sub: undefined, client_id: 'shop-1' },
      { sub: undefined, azp: 'another' },
      { sub: undefined, client_id: 'another,shop-1' },
    ]
    const identities = await Promise.all(distinct.map(identityOf))
    expect(new Set(identities).size).toBe(distinct.length)
    expect(await identityOf({ client_id: 'app', azp: 'app', exp: NOW_S + 60 })).toBe(identities[0])
    expect(await identityOf({ sub: undefined, client_id: 'shop-1', azp: 'app' })).toBe(identities[2])
    expect(await identityOf({ sub: undefined, azp: 'shop-1' })).toBe(identities[2])
    for (const client of [undefined, '', 7, ['shop-1']])
      expect(await identityOf({ sub: undefined, client_id: client })).toBeNull()
  })

  it.each<[string, object, object]>([
    ['several audiences', { aud: ['other', 'payments'] }, { alg: 'HS256' }],
    ['no subject', { sub: undefined }, { alg: 'HS256' }],
    ['typ JWT', {}, { alg: 'HS256', typ: 'JWT' }],
    ['typ at+jwt', {}, { alg: 'HS256', typ: 'at+jwt' }],
    ['typ application/at+jwt', {}, { alg: 'HS256', typ: 'application/at+JWT' }],
    ['a fraction of a second in exp', { exp: NOW_S + 0.5 }, { alg: 'HS256' }],
    ['nbf within the tolerance', { nbf: NOW_S + 5 }, { alg: 'HS256' }],
    ['an exp beyond every date', { exp: 1e300 }, { alg: 'HS256' }],
  ])('may have %s', async (_name, claims, header) => {
    const caller = await verify(hsToken(TEXT, { ...CLAIMS, ...claims }, header))
    expect(Number.isFinite(new Date(caller.expiresAt).getTime())).toBe(true)
  })

  it.each<[string, object]>([
    ['exp in the past', { exp: NOW_S - 3600 }],
    ['exp within the tolerance for other clocks', { exp: NOW_S - 1 }],
    ['exp at this moment', { exp: NOW_S }],
  ])('is expired with %s', async (_name, claims) => {
    expect(await refusalOf(hsToken(TEXT, { ...CLAIMS, ...claims }))).toMatchObject({
      name: 'InvalidTokenError',
      reason: 'expired',
    })
  })

  it.each<[string, object | string]>([
    ['exp missing', { ...CLAIMS, exp: undefined }],
    ['exp as text', { ...CLAIMS, exp: String(NOW_S + 3600) }],
    ['exp null', { ...CLAIMS, exp: null }],
    ['exp infinite', JSON.stringify({ ...CLAIMS, exp: 0 }).replace('"exp":0', '"exp":1e999')],
    ['nbf as text', { ...CLAIMS, nbf: '0' }],
    ['a wrong iss', { ...CLAIMS, iss: 'other' }],
    ['no iss', { ...CLAIMS, iss: undefined }],
    ['a wrong aud', { ...CLAIMS, aud: 'other' }],
    ['an aud that only begins alike', { ...CLAIMS, aud: 'payments2' }],
    ['no aud', { ...CLAIMS, aud: undefined }],
    ['sub as a number', { ...CLAIMS, sub: 7 }],
    ['scope as a number', { ...CLAIMS, scope: 7 }],
    ['numbers in scope', { ...CLAIMS, scope: ['a', 7] }],
    ['claims that are a list', '[]'],
    ['claims that are no JSON', 'x'],
  ])('is refused with %s', async (_name, claims) => {
    const token = hsToken(TEXT, typeof claims === 'string' ? claims : { ...claims })
    expect(await refusalOf(token)).toMatchObject({ name: 'InvalidTokenError', reason: 'invalid' })
  })

  it.each<[string, string]>([
    ['another secret', hsToken('another-secret-of-more-than-32-bytes')],
    ['alg none', `${unsigned({ alg: 'none' }, CLAIMS)}.`],
    ['alg None', `${unsigned({ alg: 'None' }, CLAIMS)}.`],
    ['alg none over a right signature', hsToken(TEXT, CLAIMS, { alg: 'none' })],
    ['no alg', hsToken(TEXT, CLAIMS, {})],
    ['another HMAC', hs512Token()],
    ['alg RS256', hsToken(TEXT, CLAIMS, { alg: 'RS256' })],
    ['typ of another kind', hsToken(TEXT, CLAIMS, { alg: 'HS256', typ: 'logout+jwt' })],
    ['typ that is no text', hsToken(TEXT, CLAIMS, { alg: 'HS256', typ: 7 })],
    ['an unknown critical header', hsToken(TEXT, CLAIMS, { alg: 'HS256', crit: ['x'], x: 1 })],
    ['an unencoded payload', hsToken(TEXT, CLAIMS, { alg: 'HS256', crit: ['b64'], b64: false })],
    ['no signature', `${unsigned({ alg: 'HS256' }, CLAIMS)}.`],
    ['no parts', 'token'],
    ['nothing', ''],
    ['five parts', 'a.b.c.d.e'],
  ])('is refused with %s', async (_name, token) => {
    const refusal = await refusalOf(token)
    expect(refusal).toBeInstanceOf(InvalidTokenError)
    expect(refusal).toMatchObject({ reason: 'invalid', message: 'The token is not valid.', safeMessage: true })
  })

  it('is refused with nbf in the future, and for that reason', async () => {
    const token = hsToken(TEXT, { ...CLAIMS, nbf: NOW_S + 6 })
    expect(await refusalOf(token)).toMatchObject({ name: 'InvalidTokenError', reason: 'not_yet_valid' })
  })

  it('is refused when it is longer than 8 KB, though it is right otherwise', async () => {
    const ofScope = (length: number): string => hsToken(TEXT, { ...CLAIMS, scope: 'x'.repeat(length) })
    expect(Buffer.byteLength(ofScope(5800))).toBeLessThan(8192)
    expect(await refusalOf(ofScope(5800))).toBe('accepted')
    expect(await refusalOf(ofScope(6200))).toBeInstanceOf(InvalidTokenError)
  })

  it('is refused with a key that it carries itself', async () => {
    const own = 'own-secret-of-the-attacker-32-bytes!'
    const jwk = { kty: 'oct', k: Buffer.from(own).toString('base64url') }
    expect(await refusalOf(hsToken(own, CLAIMS, { alg: 'HS256', jwk }))).toBeInstanceOf(InvalidTokenError)
    expect(await refusalOf(hsToken('', CLAIMS, { alg: 'HS256', kid: '../../../../dev/null' }))).toBeInstanceOf(
      InvalidTokenError,
    )
  })

  it('needs neither issuer nor audience where none is configured', async () => {
    const verifier = createTokenVerifier({ ...clients, issuer: null, audience: null }, { clock: () => NOW })
    const token = hsToken(TEXT, { exp: NOW_S + 1, aud: 'other' })
    expect(await verifier.verify(token)).toMatchObject({ subject: null, expiresAt: NOW + 1000 })
  })
})

describe('a token that was verified before', () => {
  it('is remembered, and forgotten when it expires', async () => {
    let now = NOW
    const verifier = createTokenVerifier(clients, { clock: () => now })
    const token = hsToken(TEXT, { ...CLAIMS, exp: NOW_S + 60 })
    const caller = await verifier.verify(token)
    expect(await verifier.verify(token)).toBe(caller)
    now = NOW + 59_999
    expect(await verifier.verify(token)).toBe(caller)
    now = NOW + 60_000
    await expect(verifier.verify(token)).rejects.toMatchObject({ reason: 'expired' })
  })

  it('does not lend its rights to a token that is nearly the same', async () => {
    const verifier = createTokenVerifier(clients, { clock: () => NOW })
    const token = hsToken(TEXT)
    await verifier.verify(token)
    const [header, , signature] = token.split('.')
    const raised = unsigned({}, { ...CLAIMS, scope: 'payments:refund' }).split('.')[1]
    await expect(verifier.verify(`${header}.${raised}.${signature}`)).rejects.toBeInstanceOf(InvalidTokenError)
  })
})

describe('a token signed with one of several secrets', () => {
  const other = 'another-client-secret-of-more-than-32-bytes'
  const several = { ...clients, secrets: [new Secret(other), new Secret(TEXT)] } as const
  const verifier = createTokenVerifier(several, { clock: () => NOW })

  it.each([TEXT, other])('is accepted, whichever it is', async (secret) => {
    expect(await verifier.verify(hsToken(secret))).toMatchObject({ subject: 'shop-1' })
  })

  it('is refused when it has expired, and so is one of no such secret', async () => {
    const late = createTokenVerifier(several, { clock: () => NOW + 3_600_000 })
    await expect(late.verify(hsToken(TEXT))).rejects.toMatchObject({ reason: 'expired' })
    await expect(verifier.verify(hsToken('a-secret-of-nobody-of-more-than-32-bytes'))).rejects.toMatchObject({
      reason: 'invalid',
    })
  })
})

describe('a development token', () => {
  it('is accepted by the verifier of the same secret', async () => {
    const token = await issueDevelopmentToken(new Secret(TEXT), {
      scopes: ['payments:read', 'sandbox:simulate'],
      subject: 'me',
      ttlSeconds: 60,
      issuer: 'issuer',
      audience: 'payments',
      issuedAt: new Date(NOW),
    })
    expect(await verify(token)).toEqual({
      kind: 'client',
      subject: 'me',
      name: 'me',
      identity: expect.stringMatching(/^[\w-]{43}$/),
      scopes: new Set(['payments:read', 'sandbox:simulate']),
      expiresAt: NOW + 60_000,
    })
    expect(await refusalOf(token, NOW + 60_000)).toMatchObject({ reason: 'expired' })
  })
})
