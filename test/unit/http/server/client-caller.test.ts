import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { ANONYMOUS, InvalidTokenError } from '../../../../src/access/caller.ts'
import { issueDevelopmentToken } from '../../../../src/access/issue-token.ts'
import { createTokenVerifier } from '../../../../src/access/verify-token.ts'
import { createCallerReader, createRouterCheck } from '../../../../src/http/server/client-caller.ts'
import { Secret } from '../../../../src/keys/key-ring.ts'

const SECRET = new Secret('client-token-secret-of-the-tests-0123456789')
const token = await issueDevelopmentToken(SECRET, { scopes: ['payments:read'], subject: 'shop-1', ttlSeconds: 60 })
const verifier = createTokenVerifier({
  kind: 'secret',
  secrets: [SECRET],
  audience: null,
  issuer: null,
  scopeClaims: null,
  scopePrefix: null,
})

/** Returns a request with these lines of `authorization` as Node's parser represents it: `headers` contains only the first one. */
function requestWith(lines: readonly string[], socket = new Socket()): IncomingMessage {
  return {
    socket,
    headers: lines.length === 0 ? {} : { authorization: lines[0] },
    rawHeaders: ['Host', 'x', ...lines.flatMap((line) => ['Authorization', line])],
  } as IncomingMessage
}

// promise(authentication): Two `Authorization` headers are refused; tokens in the query string, cookies or body are
// ignored.
describe('the caller of a request', () => {
  const callerOf = createCallerReader(verifier)
  const ask = async (...lines: string[]) => callerOf(requestWith(lines))

  it('is nobody without a header', async () => {
    expect(await ask()).toBe(ANONYMOUS)
  })

  it('is the client that the token names', async () => {
    const caller = await ask(`Bearer ${token}`)
    expect(caller).toMatchObject({ kind: 'client', subject: 'shop-1', scopes: new Set(['payments:read']) })
  })

  it.each(['', 'Bearer', 'Bearer ', token, `Basic ${token}`, `Bearer ${token}x`, `Bearer ${token}, Bearer ${token}`])(
    'is refused with the header %.20j',
    async (authorization) => {
      await expect(ask(authorization)).rejects.toBeInstanceOf(InvalidTokenError)
    },
  )

  it('is refused with two headers, also of the same token', async () => {
    for (const other of [token, 'a.b.c', ''])
      for (const lines of [
        [`Bearer ${token}`, `Bearer ${other}`],
        [`Bearer ${other}`, `Bearer ${token}`],
      ])
        await expect(ask(...lines)).rejects.toBeInstanceOf(InvalidTokenError)
  })
})

describe('a connection that has shown a token', () => {
  /** Creates requests of one connection, with a clock that the test advances. */
  function connect() {
    let now = Date.now()
    const keys = {
      kind: 'secret',
      secrets: [SECRET],
      audience: null,
      issuer: null,
      scopeClaims: null,
      scopePrefix: null,
    } as const
    const callerOf = createCallerReader(createTokenVerifier(keys, { clock: () => now }))
    const socket = new Socket()
    return {
      ask: (...lines: string[]) => callerOf(requestWith(lines, socket)),
      pass: (milliseconds: number) => {
        now += milliseconds
      },
    }
  }

  it('is judged by the token of each request', async () => {
    const { ask } = connect()
    const other = await issueDevelopmentToken(SECRET, { scopes: [], subject: 'shop-2', ttlSeconds: 60 })
    for (const text of [token, other]) await ask(`Bearer ${text}`)
    for (let times = 0; times < 2; times += 1) expect(ask(`Bearer ${token}`)).toMatchObject({ subject: 'shop-1' })
    expect(ask(`Bearer ${other}`)).toMatchObject({ subject: 'shop-2' })
    expect(ask()).toBe(ANONYMOUS)
    for (const lines of [[`Bearer ${token}x`], [`Bearer ${token}`, `Bearer ${token}`], [token]])
      await expect(ask(...lines)).rejects.toBeInstanceOf(InvalidTokenError)
  })

  it('is refused when its token has expired', async () => {
    const { ask, pass } = connect()
    for (let times = 0; times < 3; times += 1) expect(await ask(`Bearer ${token}`)).toMatchObject({ subject: 'shop-1' })
    pass(61_000)
    await expect(ask(`Bearer ${token}`)).rejects.toMatchObject({ reason: 'expired' })
    await expect(ask(`Bearer ${token}`)).rejects.toMatchObject({ reason: 'expired' })
  })

  it('is given no rights by a token that had expired before, until the clock is set back', async () => {
    const { ask, pass } = connect()
    pass(61_000)
    for (let times = 0; times < 2; times += 1)
      await expect(ask(`Bearer ${token}`)).rejects.toMatchObject({ reason: 'expired' })
    pass(-61_000)
    expect(await ask(`Bearer ${token}`)).toMatchObject({ subject: 'shop-1' })
  })
})

describe('the check of the router', () => {
  const check = createRouterCheck({
    kind: 'guarded',
    secrets: [new Secret('router-secret-1'), new Secret('router-secret-2')],
  })
  const socket = new Socket()
  const withSecret = (given: unknown) => check({ socket, headers: { 'x-router-secret': given } as IncomingHttpHeaders })

  it('knows each of the secrets', () => {
    expect([withSecret('router-secret-1'), withSecret('router-secret-2')]).toEqual([true, true])
  })

  it.each([
    undefined,
    '',
    'router-secret',
    'router-secret-11',
    'ROUTER-SECRET-1',
    ' router-secret-1',
    'router-secret-1, router-secret-1',
  ])('does not know %j', (given) => expect(withSecret(given)).toBe(false))

  it('knows no list of secrets, and no other header', () => {
    expect(withSecret(['router-secret-1'])).toBe(false)
    expect(check({ socket, headers: { authorization: 'router-secret-1' } })).toBe(false)
  })

  it('lets everyone be the router where none is expected', () => {
    expect(createRouterCheck({ kind: 'open' })({ socket, headers: {} })).toBe(true)
  })
})
