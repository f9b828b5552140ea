import { describe, expect, it } from 'vitest'
import { bearerToken } from '../../../src/access/bearer.ts'
import { ANONYMOUS, expired, hasScope } from '../../../src/access/caller.ts'
import type { ClientCaller } from '../../../src/access/caller.ts'
import { ALL_SCOPES, isScope } from '../../../src/access/scopes.ts'
import { createVerifiedTokens } from '../../../src/access/verified-tokens.ts'

const caller: ClientCaller = {
  kind: 'client',
  subject: null,
  identity: null,
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
    const tokens = createVerifiedTokens(() => 0, 2)
    for (const token of ['a', 'b', 'a', 'c']) tokens.remember(token, caller)
    expect(['a', 'b', 'c'].map((token) => tokens.find(token) !== null)).toEqual([true, false, true])
  })

  it('gives no caller after ten minutes, and when the clock was set back', () => {
    let now = 0
    const tokens = createVerifiedTokens(() => now)
    const found = (): boolean => tokens.find('a') !== null
    tokens.remember('a', { ...caller, expiresAt: 1e12 })
    now = 599_999
    expect(found()).toBe(true)
    now = 600_000
    expect(found()).toBe(false)
    tokens.remember('a', { ...caller, expiresAt: 1e12 })
    now = 599_999
    expect(found()).toBe(false)
  })

  it('recalls a caller until the token expires or is forgotten', () => {
    let now = 0
    const tokens = createVerifiedTokens(() => now)
    for (const token of ['a', 'b']) tokens.remember(token, { ...caller, expiresAt: 1_000_000 })
    tokens.forget('b')
    const recalled: unknown[] = []
    for (now of [600_000, 999_999, 1_000_000, 0]) recalled.push([tokens.recall('a') !== null, tokens.recall('b')])
    expect(recalled).toEqual([
      [true, null],
      [true, null],
      [false, null],
      [false, null],
    ])
  })

  it('keeps the last ten thousand of a flood of tokens', () => {
    const tokens = createVerifiedTokens(() => 0)
    const names = Array.from({ length: 30_000 }, (_, id) => `token-${id}`)
    for (const name of names) tokens.remember(name, caller)
    const kept = names.map((name) => tokens.recall(name) !== null)
    expect(kept.indexOf(true)).toBe(20_000)
    expect(kept.filter(Boolean)).toHaveLength(10_000)
  })
})
