import { describe, expect, it } from 'vitest'
import {
  bearerToken,
  callerFromClaims,
  ANONYMOUS,
  expired,
  hasScope,
  type ClientCaller,
  ALL_SCOPES,
  isScope,
} from '../../../src/access/caller.ts'
import { createVerifiedTokens } from '../../../src/access/verify-token.ts'

const caller: ClientCaller = {
  kind: 'client',
  subject: null,
  identity: null,
  name: null,
  scopes: new Set(['payments:read']),
  expiresAt: 1000,
}

describe('bearerToken', () => {
  it.each([
    ['Bearer abc', 'abc'],
    ['bearer abc', 'abc'],
    ['BEARER  a.b-c_d~e+f/g==', 'a.b-c_d~e+f/g=='],
  ])('reads %j', (header, token) => {
    expect(bearerToken(header)).toBe(token)
  })

  it.each([
    undefined,
    '',
    'Bearer',
    'Bearer ',
    'abc',
    'Basic abc',
    'Bearerabc',
    ' Bearer abc',
    'Bearer abc ',
    'Bearer\tabc',
  ])('finds none in %j', (header) => {
    expect(bearerToken(header)).toBeNull()
  })

  it.each(['Bearer a b', 'Bearer a, Bearer b', 'Bearer a=b', 'Bearer é', 'Bearer "a"', 'Bearer a\n'])(
    'finds none in %j',
    (header) => {
      expect(bearerToken(header)).toBeNull()
    },
  )
})

describe('callers', () => {
  it('have the rights of their token, and none without one', () => {
    expect(hasScope(caller, 'payments:read')).toBe(true)
    expect(hasScope(caller, 'payments:write')).toBe(false)
    expect(ALL_SCOPES.filter((scope) => hasScope(ANONYMOUS, scope))).toEqual([])
  })

  it.each([
    [{ sub: 'ada', client_id: 'shop' }, 'ada'],
    [{ client_id: 'shop', azp: 'other' }, 'shop'],
    [{ azp: 'other' }, 'other'],
    [{}, null],
    [{ sub: 'a'.repeat(300) }, 'a'.repeat(255)],
  ])('with the claims %j are recorded as %j', (claims, name) => {
    const rules = { scopeClaims: null, scopePrefix: null }
    expect(callerFromClaims({ exp: 1, ...claims }, rules).name).toBe(name)
  })

  it('expire at their moment', () => {
    expect([999, 1000].map((now) => expired(caller, now))).toEqual([false, true])
    expect(expired(ANONYMOUS, 1e15)).toBe(false)
  })
})

describe('isScope', () => {
  it('knows every right and no other word', () => {
    expect(ALL_SCOPES.every(isScope)).toBe(true)
    expect(['', 'payments', 'payments:*', 'constructor'].some(isScope)).toBe(false)
  })
})

describe('createVerifiedTokens', () => {
  it('forgets the oldest when there is no room', () => {
    const tokens = createVerifiedTokens(2)
    for (const token of ['a', 'b', 'a', 'c']) tokens.remember(token, caller, 1)
    expect(['a', 'b', 'c'].map((token) => tokens.find(token, 1) !== null)).toEqual([true, false, true])
  })

  it('knows nothing that was verified with other keys, or was forgotten', () => {
    const tokens = createVerifiedTokens()
    for (const token of ['a', 'b']) tokens.remember(token, caller, 1)
    tokens.forget('b')
    expect([tokens.find('a', 1)?.caller, tokens.find('a', 2), tokens.find('b', 1)]).toEqual([caller, null, null])
  })

  it('knows when a token expires, and gives no caller of one that had expired before', () => {
    const tokens = createVerifiedTokens()
    tokens.remember('a', caller, 1)
    tokens.rememberExpired('b', 500, 1)
    expect(tokens.find('a', 1)).toMatchObject({ caller, expiresAt: caller.expiresAt })
    expect(tokens.find('b', 1)).toMatchObject({ caller: null, expiresAt: 500 })
  })

  it('keeps the last ten thousand of a flood of tokens', () => {
    const tokens = createVerifiedTokens()
    const names = Array.from({ length: 30_000 }, (_, id) => `token-${id}`)
    for (const name of names) tokens.remember(name, caller, 1)
    const kept = names.map((name) => tokens.find(name, 1) !== null)
    expect(kept.indexOf(true)).toBe(20_000)
    expect(kept.filter(Boolean)).toHaveLength(10_000)
  })
})
