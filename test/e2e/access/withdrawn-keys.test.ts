import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { InvalidTokenError } from '../../../src/access/caller.ts'
import { type VerifiedToken, createTokenVerifier, type TokenVerifier } from '../../../src/access/verify-token.ts'
import { CLAIMS, issuerKey, NOW, NOW_S, rsToken } from '../../unit/access/tokens.ts'
import { startJwksServer, type JwksServer } from './jwks-server.ts'

const first = issuerKey('key-1')
const second = issuerKey('key-2')

let issuer: JwksServer
let verifier: TokenVerifier
/** Milliseconds since the verifier was created. */
let passed = 0

const create = (watchMs?: number) =>
  createTokenVerifier(
    { kind: 'jwks', url: issuer.url, issuer: 'issuer', audience: 'payments', scopeClaims: null, scopePrefix: null },
    { clock: () => NOW + passed, elapsed: () => passed, ...(watchMs === undefined ? {} : { watchMs }) },
  )

beforeEach(async () => {
  issuer = await startJwksServer()
  issuer.publish(first.jwk)
  passed = 0
  verifier = create()
})
afterEach(() => issuer.close())

const refusalOf = (token: string): Promise<unknown> =>
  verifier.verify(token).then(
    () => 'accepted',
    (error: unknown) => error,
  )

const callerOf = (recalled: VerifiedToken | null) => recalled && verifier.callerOf(recalled)

const longLived = (id: number) => ({ ...CLAIMS, exp: NOW_S + 1_000_000, jti: String(id) })

const MINUTE_MS = 60_000

// promise(authentication): A withdrawn key is accepted for at most five minutes, on open streams too.
describe('a withdrawn key', () => {
  it.each([1, 20, 59])('counts for five minutes at most, with a token every %i seconds', async (everyS) => {
    const known = rsToken(first, longLived(0))
    await verifier.verify(known)
    issuer.publish(second.jwk)
    for (passed = everyS * 1000; passed < 5 * MINUTE_MS; passed += everyS * 1000) await refusalOf(known)
    passed = 5 * MINUTE_MS
    expect(await refusalOf(known)).toBeInstanceOf(InvalidTokenError)
    expect(await refusalOf(rsToken(first, longLived(1)))).toBeInstanceOf(InvalidTokenError)
    expect(await refusalOf(rsToken(second, longLived(2)))).toBe('accepted')
  })

  it('counts for five minutes at most when nobody came in between', async () => {
    const known = rsToken(first, longLived(0))
    await verifier.verify(known)
    const recalled = verifier.recall(known)
    issuer.publish(second.jwk)
    passed = 5 * MINUTE_MS
    expect(callerOf(recalled)).toBeNull()
    expect(await refusalOf(known)).toBeInstanceOf(InvalidTokenError)
  })

  it('counts no longer after the keys were fetched anew, whatever was fetched just before', async () => {
    const known = rsToken(first, longLived(0))
    await verifier.verify(known)
    const recalled = verifier.recall(known)
    issuer.publish(second.jwk)
    expect(await refusalOf(known)).toBe('accepted')
    expect(callerOf(recalled)).toMatchObject({ kind: 'client' })
    expect(await verifier.refetchKeys()).toBe(true)
    expect([callerOf(recalled), verifier.recall(known)]).toEqual([null, null])
    expect(await refusalOf(known)).toBeInstanceOf(InvalidTokenError)
    expect(issuer.fetches).toBe(2)
  })

  it('is not given up for an issuer that does not answer', async () => {
    const known = rsToken(first, longLived(0))
    await verifier.verify(known)
    issuer.answer = { status: 503, body: '' }
    expect(await verifier.refetchKeys()).toBe(false)
    expect([await refusalOf(known), await refusalOf(rsToken(first, longLived(1)))]).toEqual(['accepted', 'accepted'])
  })

  it('ends the streams of its tokens, and no others', async () => {
    issuer.publish(first.jwk, second.jwk)
    const watching = create(5)
    const ended: string[] = []
    const watch = async (name: string, token: string) => {
      await watching.verify(token)
      const watcher = { onTokenEnd: () => void ended.push(name) }
      watching.watch.add(token, watcher)
      return () => watching.watch.delete(token, watcher)
    }
    const twice = rsToken(first, longLived(0))
    const stops = [
      await watch('first', twice),
      await watch('first again', twice),
      await watch('second', rsToken(second, longLived(1))),
      await watch('expired', rsToken(first, { ...CLAIMS, exp: NOW_S + 60 })),
    ]
    const stopped = await watch('stopped', rsToken(first, longLived(2)))
    stopped()
    issuer.publish(second.jwk)
    passed = 5 * MINUTE_MS
    await expect.poll(() => ended.length).toBeGreaterThanOrEqual(3)
    // The expired token may end by its expiry or by the withdrawal of its key, whichever comes first.
    expect(new Set(ended)).toEqual(new Set(['first', 'first again', 'expired']))
    for (const stop of stops) stop()
    const before = issuer.fetches
    passed += 60 * MINUTE_MS
    await watching.verify(rsToken(second, longLived(3)))
    expect(issuer.fetches).toBe(before + 1)
  })
})

describe('an expired token', () => {
  it('is told from a forged one, and its signature is verified once', async () => {
    const expired = rsToken(first, { ...CLAIMS, exp: NOW_S - 3600 })
    const forged = rsToken(second, { ...CLAIMS, exp: NOW_S - 3600 }, { kid: 'key-1' })
    expect(await refusalOf(expired)).toMatchObject({ reason: 'expired' })
    const verify = vi.spyOn(crypto.subtle, 'verify')
    onTestFinished(() => verify.mockRestore())
    for (let turn = 0; turn < 20; turn += 1) expect(await refusalOf(expired)).toMatchObject({ reason: 'expired' })
    expect(verify).toHaveBeenCalledTimes(0)
    for (let turn = 0; turn < 20; turn += 1) expect(await refusalOf(forged)).toMatchObject({ reason: 'invalid' })
    expect(verify).toHaveBeenCalledTimes(20)
  })
})
