import { constants, sign } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { InvalidTokenError, TokenKeysUnavailableError } from '../../../src/access/caller.ts'
import { createTokenVerifier } from '../../../src/access/verify-token.ts'
import type { TokenVerifier } from '../../../src/access/verify-token.ts'
import { CLAIMS, NOW, NOW_S, hsToken, issuerKey, rsToken, unsigned } from '../../unit/access/tokens.ts'
import { startJwksServer } from './jwks-server.ts'
import type { JwksServer } from './jwks-server.ts'

const first = issuerKey('key-1')
const second = issuerKey('key-2')

let issuer: JwksServer
let verifier: TokenVerifier
/** Milliseconds since the verifier was created. */
let passed = 0

beforeEach(async () => {
  issuer = await startJwksServer()
  issuer.publish(first.jwk)
  passed = 0
  const clients = {
    kind: 'jwks',
    url: issuer.url,
    issuer: 'issuer',
    audience: 'payments',
    scopeClaims: null,
    scopePrefix: null,
  } as const
  verifier = createTokenVerifier(clients, { clock: () => NOW + passed, elapsed: () => passed })
})
afterEach(() => issuer.close())

const refusalOf = (token: string): Promise<unknown> =>
  verifier.verify(token).then(
    () => 'accepted',
    (error: unknown) => error,
  )
const longLived = (id: number) => ({ ...CLAIMS, exp: NOW_S + 1_000_000, jti: String(id) })

// promise(authentication): While the issuer is unavailable, known keys verify for an hour, and other tokens get 503.
describe('a token signed with a published key', () => {
  it('is accepted, RS256', async () => {
    expect(await verifier.verify(rsToken(first))).toMatchObject({ subject: 'shop-1', expiresAt: NOW + 3_600_000 })
  })

  it.each([
    ['PS256', 'key-1', first, { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }],
    ['ES256', 'ec', issuerKey('ec', 'ec'), { dsaEncoding: 'ieee-p1363' }],
  ] as const)('is accepted, %s', async (alg, kid, { jwk, privateKey }, options) => {
    issuer.publish(jwk)
    const text = unsigned({ alg, kid }, CLAIMS)
    const signature = sign('sha256', Buffer.from(text), { key: privateKey, ...options })
    expect(await refusalOf(`${text}.${signature.toString('base64url')}`)).toBe('accepted')
  })

  it.each([
    ['EdDSA', undefined, 'ed'],
    ['EdDSA', 'Ed25519', 'ed'],
    ['Ed25519', undefined, 'ed'],
    ['Ed25519', 'Ed25519', undefined],
    ['Ed25519', 'EdDSA', 'ed'],
  ])('is accepted, %s with a key for %s and the key id %s', async (alg, published, kid) => {
    const key = issuerKey('ed', 'ed25519')
    issuer.publish(first.jwk, { ...key.jwk, alg: published, x5c: ['not a certificate'] })
    const text = unsigned({ alg, kid }, CLAIMS)
    const signature = sign(null, Buffer.from(text), key.privateKey).toString('base64url')
    expect(await refusalOf(`${text}.${signature}`)).toBe('accepted')
  })

  it('is accepted, whichever of two keys with one id signed it', async () => {
    issuer.publish(first.jwk, { ...second.jwk, kid: 'key-1' })
    for (const key of [first, second]) expect(await refusalOf(rsToken(key, CLAIMS, { kid: 'key-1' }))).toBe('accepted')
    expect(await refusalOf(rsToken(issuerKey('x'), CLAIMS, { kid: 'key-1' }))).toBeInstanceOf(InvalidTokenError)
  })

  it('is accepted without a key id, whichever of several keys signed it', async () => {
    issuer.publish(first.jwk, second.jwk)
    const kid = undefined
    for (const key of [first, second]) expect(await refusalOf(rsToken(key, CLAIMS, { kid }))).toBe('accepted')
    expect(await refusalOf(rsToken(issuerKey('x'), CLAIMS, { kid }))).toBeInstanceOf(InvalidTokenError)
    const late = rsToken(second, { ...CLAIMS, exp: NOW_S - 60 }, { kid })
    expect(await refusalOf(late)).toMatchObject({ reason: 'expired' })
  })

  it('is not valid yet with nbf in the future', async () => {
    expect(await refusalOf(rsToken(first, { ...CLAIMS, nbf: NOW_S + 60 }))).toMatchObject({ reason: 'not_yet_valid' })
  })
})

describe('a token is refused', () => {
  it.each<[string, () => string]>([
    ['alg none', () => `${unsigned({ alg: 'none', kid: 'key-1' }, CLAIMS)}.`],
    ['HS256 with the public key as secret', () => hsToken(first.publicPem, CLAIMS, { alg: 'HS256', kid: 'key-1' })],
    ['the key id of another key', () => rsToken(second, CLAIMS, { kid: 'key-1' })],
    ['a key of its own', () => rsToken(second, CLAIMS, { kid: 'key-1', jwk: second.jwk })],
    ['a path as key id', () => rsToken(first, CLAIMS, { kid: '../../key-1' })],
    ['a key id that is no text', () => rsToken(first, CLAIMS, { kid: ['key-1'] })],
    [
      'RS512',
      () => {
        const text = unsigned({ alg: 'RS512', kid: 'key-1' }, CLAIMS)
        return `${text}.${sign('sha512', Buffer.from(text), first.privateKey).toString('base64url')}`
      },
    ],
  ])('with %s', async (_name, token) => {
    expect(await refusalOf(token())).toMatchObject({ name: 'InvalidTokenError', reason: 'invalid' })
    expect(await refusalOf(rsToken(first))).toBe('accepted')
  })

  it('without fetching the keys that it points at', async () => {
    const attacker = await startJwksServer()
    attacker.publish(second.jwk)
    const pointers = { kid: attacker.url, jku: attacker.url, x5u: attacker.url }
    expect(await refusalOf(rsToken(second, CLAIMS, pointers))).toBeInstanceOf(InvalidTokenError)
    expect(attacker.fetches).toBe(0)
    await attacker.close()
  })

  it('with the key of another use', async () => {
    issuer.publish({ ...first.jwk, use: 'enc' })
    expect(await refusalOf(rsToken(first))).toBeInstanceOf(InvalidTokenError)
  })

  it('with a published symmetric key', async () => {
    const k = 'published-by-mistake-but-32-bytes-long'
    issuer.publish({ kty: 'oct', k: Buffer.from(k).toString('base64url'), kid: 'key-1', alg: 'HS256' })
    expect(await refusalOf(hsToken(k, CLAIMS, { alg: 'HS256', kid: 'key-1' }))).toBeInstanceOf(InvalidTokenError)
  })
})

describe('the key set', () => {
  it('is fetched once for many first tokens', async () => {
    const tokens = Array.from({ length: 20 }, (_, id) => rsToken(first, longLived(id)))
    await Promise.all(tokens.map((token) => verifier.verify(token)))
    expect(issuer.fetches).toBe(1)
  })

  it('is fetched at most once in 30 seconds under a flood of unknown key ids', async () => {
    const flood = (): Promise<unknown[]> =>
      Promise.all(Array.from({ length: 50 }, (_, id) => refusalOf(rsToken(first, CLAIMS, { kid: `unknown-${id}` }))))
    const counts: number[] = []
    for (passed of [0, 10_000, 29_999, 30_000, 59_999, 60_000]) {
      expect((await flood()).every((refusal) => refusal instanceof InvalidTokenError)).toBe(true)
      counts.push(issuer.fetches)
    }
    expect(counts).toEqual([1, 1, 1, 2, 2, 3])
  })

  it('is fetched at most once in 30 seconds while the issuer is down', async () => {
    issuer.answer = { status: 503, body: '' }
    const counts: number[] = []
    for (passed of [0, 1, 29_999, 30_000, 31_000]) {
      const tokens = Array.from({ length: 10 }, (_, id) => refusalOf(rsToken(first, longLived(id))))
      expect((await Promise.all(tokens)).every((refusal) => refusal instanceof TokenKeysUnavailableError)).toBe(true)
      counts.push(issuer.fetches)
    }
    expect(counts).toEqual([1, 1, 1, 2, 2])
  })

  it.each([
    ['an error', { status: 500, body: '' }],
    ['a redirect', { status: 302, body: '' }],
    ['no JSON', { status: 200, body: '<html>' }],
    ['no key set', { status: 200, body: '{"keys":7}' }],
  ])('is not taken from %s, and is found when the issuer is well again', async (_name, answer) => {
    issuer.answer = answer
    expect(await refusalOf(rsToken(first))).toBeInstanceOf(TokenKeysUnavailableError)
    issuer.publish(first.jwk)
    passed = 30_000
    expect(await refusalOf(rsToken(first))).toBe('accepted')
  })

  it('follows a change of keys: the new key at once after the pause, the old one until the set is fetched without it', async () => {
    expect(await refusalOf(rsToken(first, longLived(1)))).toBe('accepted')
    issuer.publish(first.jwk, second.jwk)
    passed = 30_000
    expect(await refusalOf(rsToken(second, longLived(2)))).toBe('accepted')
    expect(await refusalOf(rsToken(first, longLived(3)))).toBe('accepted')
    issuer.publish(second.jwk)
    passed = 30_000 + 10 * 60_000
    expect(await refusalOf(rsToken(second, longLived(4)))).toBe('accepted')
    expect(await refusalOf(rsToken(first, longLived(5)))).toBeInstanceOf(InvalidTokenError)
    expect(await refusalOf(rsToken(first, longLived(1)))).toBeInstanceOf(InvalidTokenError)
  })

  it('serves for an hour while the issuer is down', async () => {
    await verifier.verify(rsToken(first, longLived(1)))
    issuer.answer = { status: 503, body: '' }
    passed = 59 * 60_000
    expect(await refusalOf(rsToken(first, longLived(2)))).toBe('accepted')
    passed = 60 * 60_000
    expect(await refusalOf(rsToken(first, longLived(3)))).toBeInstanceOf(TokenKeysUnavailableError)
  })

  it('is not read beyond 256 KiB', async () => {
    const padded = (bytes: number) => {
      const set = { keys: [first.jwk], padding: '' }
      return JSON.stringify({ ...set, padding: 'x'.repeat(bytes - JSON.stringify(set).length) })
    }
    issuer.answer = { status: 200, body: padded(256 * 1024 + 1) }
    expect(await refusalOf(rsToken(first))).toBeInstanceOf(TokenKeysUnavailableError)
    const { promise: hungUp, resolve } = Promise.withResolvers<void>()
    issuer.respond = (response) => {
      response.on('close', resolve)
      Readable.from(endless()).pipe(response)
    }
    passed = 30_000
    expect(await refusalOf(rsToken(first))).toBeInstanceOf(TokenKeysUnavailableError)
    await hungUp
    issuer.publish()
    issuer.answer = { status: 200, body: padded(256 * 1024) }
    passed = 60_000
    expect(await refusalOf(rsToken(first))).toBe('accepted')
  })

  it('is waited for no longer than 5 seconds, whether nothing comes or too little', async () => {
    const limits: number[] = []
    let isOver = new AbortController()
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockImplementation((limit) => {
      limits.push(limit)
      isOver = new AbortController()
      return isOver.signal
    })
    onTestFinished(() => timeout.mockRestore())
    issuer.respond = () => isOver.abort()
    expect(await refusalOf(rsToken(first))).toBeInstanceOf(TokenKeysUnavailableError)
    issuer.respond = (response) => response.write('{', () => isOver.abort())
    passed = 30_000
    expect(await refusalOf(rsToken(first))).toBeInstanceOf(TokenKeysUnavailableError)
    expect(limits).toEqual([5_000, 5_000])
  })
})

describe('while the issuer is down', () => {
  it('a verified token lives until it expires, and no other', async () => {
    const seen = rsToken(first, { ...CLAIMS, exp: NOW_S + 4 * 3600 })
    await verifier.verify(seen)
    issuer.answer = { status: 503, body: '' }
    const verdicts: unknown[] = []
    for (passed of [60 * 60_000, 3 * 3_600_000, 4 * 3_600_000 - 1]) {
      expect(await refusalOf(rsToken(first, longLived(passed)))).toBeInstanceOf(TokenKeysUnavailableError)
      verdicts.push(await refusalOf(seen))
    }
    expect(verdicts).toEqual(['accepted', 'accepted', 'accepted'])
    passed = 4 * 3_600_000
    expect(await refusalOf(seen)).not.toBe('accepted')
  })

  it('a token that was refused in the meantime is not believed again', async () => {
    await verifier.verify(rsToken(first, longLived(1)))
    issuer.publish(second.jwk)
    passed = 10 * 60_000
    expect(await refusalOf(rsToken(first, longLived(1)))).toBeInstanceOf(InvalidTokenError)
    issuer.answer = { status: 503, body: '' }
    passed = 80 * 60_000
    expect(await refusalOf(rsToken(first, longLived(1)))).toBeInstanceOf(TokenKeysUnavailableError)
  })

  it('a token of a key that may be new is not called invalid', async () => {
    await verifier.verify(rsToken(first, longLived(1)))
    issuer.answer = { status: 503, body: '' }
    passed = 30_000
    expect(await refusalOf(rsToken(second, longLived(2)))).toBeInstanceOf(TokenKeysUnavailableError)
    expect(await refusalOf(rsToken(second, CLAIMS, { kid: 'key-1' }))).toBeInstanceOf(InvalidTokenError)
    issuer.publish(first.jwk, second.jwk)
    passed = 60_000
    expect(await refusalOf(rsToken(second, longLived(2)))).toBe('accepted')
  })

  it('nobody whose key is known waits for it', async () => {
    await verifier.verify(rsToken(first, longLived(1)))
    issuer.answer = { status: 503, body: '' }
    passed = 10 * 60_000
    expect(await refusalOf(rsToken(first, longLived(2)))).toBe('accepted')
    const { promise: asked, resolve } = Promise.withResolvers<ServerResponse>()
    issuer.respond = resolve
    passed += 30_000
    expect(await refusalOf(rsToken(first, longLived(3)))).toBe('accepted')
    const held = await asked
    expect(held.writableEnded).toBe(false)
    held.destroy()
  })
})

function* endless(): Generator<string> {
  for (;;) yield ' '.repeat(16 * 1024)
}
