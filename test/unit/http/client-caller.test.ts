import type { IncomingHttpHeaders } from 'node:http'
import { describe, expect, it } from 'vitest'
import { ANONYMOUS } from '../../../src/access/caller.ts'
import { InvalidTokenError } from '../../../src/access/errors.ts'
import { issueDevelopmentToken } from '../../../src/access/issue-token.ts'
import { createTokenVerifier } from '../../../src/access/verify-token.ts'
import { callerOf, createRouterCheck } from '../../../src/http/client-caller.ts'
import { Secret } from '../../../src/keys/secret.ts'

const SECRET = new Secret('client-token-secret-of-the-tests-0123456789')
const token = await issueDevelopmentToken(SECRET, { scopes: ['payments:read'], subject: 'shop-1', ttlSeconds: 60 })
const verifier = createTokenVerifier({ kind: 'secret', secret: SECRET, audience: null, issuer: null })

describe('callerOf', () => {
  it('is nobody without a header', async () => {
    expect(await callerOf({}, verifier)).toBe(ANONYMOUS)
  })

  it('is the client that the token names', async () => {
    const caller = await callerOf({ authorization: [`Bearer ${token}`] }, verifier)
    expect(caller).toMatchObject({ kind: 'client', subject: 'shop-1', scopes: new Set(['payments:read']) })
  })

  it.each(['', 'Bearer', 'Bearer ', token, `Basic ${token}`, `Bearer ${token}x`, `Bearer ${token}, Bearer ${token}`])(
    'is refused with the header %.20j',
    async (authorization) => {
      await expect(callerOf({ authorization: [authorization] }, verifier)).rejects.toBeInstanceOf(InvalidTokenError)
    },
  )

  it('is refused with two headers, also of the same token', async () => {
    for (const other of [token, 'a.b.c', ''])
      for (const authorization of [
        [`Bearer ${token}`, `Bearer ${other}`],
        [`Bearer ${other}`, `Bearer ${token}`],
      ])
        await expect(callerOf({ authorization }, verifier)).rejects.toBeInstanceOf(InvalidTokenError)
  })
})

describe('the check of the router', () => {
  const check = createRouterCheck({
    kind: 'guarded',
    secrets: [new Secret('router-secret-1'), new Secret('router-secret-2')],
  })
  const withSecret = (given: unknown) => check({ 'x-router-secret': given } as IncomingHttpHeaders)

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
    expect(check({ authorization: 'router-secret-1' })).toBe(false)
  })

  it('lets everyone be the router where none is expected', () => {
    expect(createRouterCheck({ kind: 'open' })({})).toBe(true)
  })
})
