import type { JWTPayload } from 'jose'
import { expect, it } from 'vitest'
import { callerFromClaims } from '../../../src/access/caller.ts'
import { issueDevelopmentToken } from '../../../src/access/issue-token.ts'
import { createTokenVerifier } from '../../../src/access/verify-token.ts'
import { parseConfig } from '../../../src/config.ts'
import { Secret } from '../../../src/keys/key-ring.ts'

const scopesOf = (
  claims: string | object,
  scopeClaims: readonly string[] | null,
  scopePrefix: string | null = null,
) => {
  const payload = JSON.parse(typeof claims === 'string' ? claims : JSON.stringify({ exp: 1, ...claims })) as JWTPayload
  return [...callerFromClaims(payload, { scopeClaims, scopePrefix }).scopes]
}

const READ = ['payments:read']
const BOTH = ['payments:read', 'payments:refund']

it.each<[string, object | string, readonly string[], readonly string[]]>([
  ['a list', { permissions: ['payments:read'] }, ['permissions'], READ],
  ['a text with spaces', { roles: 'payments:refund  payments:read' }, ['roles'], BOTH],
  ['two claims', { scp: 'payments:read', roles: ['payments:refund'] }, ['scp', 'roles'], BOTH],
  ['one of two claims', { roles: ['payments:read'] }, ['scp', 'roles'], READ],
  ['none of scope where it is not named', { scope: 'payments:refund', roles: ['payments:read'] }, ['roles'], READ],
  ['a path', { realm_access: { roles: ['payments:read'] } }, ['realm_access.roles'], READ],
  ['a name with dots', { 'https://a.test/roles': ['payments:read'] }, ['https://a.test/roles'], READ],
  [
    'a path of names with dots, beside its beginning',
    { access: { pay: { roles: ['payments:write'] }, 'pay.api': { roles: ['payments:read'] } } },
    ['access.pay.api.roles'],
    READ,
  ],
  ['unknown values', { roles: ['admin', 'payments:*', ' ', '', 'payments:read'] }, ['roles'], READ],
  ['values of other types', { roles: [7, null, true, ['payments:write'], { a: 1 }, 'payments:read'] }, ['roles'], READ],
  ['an object', { roles: { 'payments:read': true, 0: 'payments:read' } }, ['roles'], []],
  ['a number, null and nothing', { a: 7, b: null }, ['a', 'b', 'c', 'a.length', 'b.c'], []],
  ['a path through a text', { a: 'payments:read' }, ['a.0', 'a.b.c', 'a.'], []],
  [
    'names of prototypes',
    {},
    ['__proto__', 'constructor', 'constructor.name', '__proto__.constructor', 'toString'],
    [],
  ],
  ['a claim named __proto__', '{"exp":1,"__proto__":{"roles":["payments:read"]}}', ['__proto__.roles'], READ],
  ['nothing of a claim named __proto__', '{"exp":1,"__proto__":{"roles":["payments:read"]}}', ['roles'], []],
])('a token may have %s', (_what, claims, names, scopes) => {
  expect(scopesOf(claims, names)).toEqual(scopes)
})

it('counts only values with the prefix', () => {
  const scope = 'openid payments/payments:read payments:write other/payments:refund payments/nothing payments/'
  expect(scopesOf({ scope }, null, 'payments/')).toEqual(READ)
  expect(scopesOf({ roles: ['payments.payments:read', 'payments:write'] }, ['roles'], 'payments.')).toEqual(READ)
})

it('takes the longest list and the deepest nesting that a token can hold', () => {
  expect(scopesOf({ roles: [...Array<string>(100_000).fill('x'), 'payments:read'] }, ['roles'])).toEqual(READ)
  const depth = 3_000
  const nested = `{"exp":1,"a":${'{"a":'.repeat(depth)}["payments:read"]${'}'.repeat(depth)}}`
  expect(scopesOf(nested, ['a', 'a.a', 'a.b'])).toEqual([])
})

it.each([
  [null, null],
  [['scp', 'roles'], 'payments/'],
  [['realm_access.roles'], null],
])('is found in the tokens of development, with %j and the prefix %j', async (scopeClaims, scopePrefix) => {
  const secret = new Secret('client-secret-of-more-than-32-bytes')
  const clients = { kind: 'secret', secrets: [secret], issuer: null, audience: null, scopeClaims, scopePrefix } as const
  const scopes = ['payments:read', 'payments:refund'] as const
  const token = await issueDevelopmentToken(secret, { ...clients, scopes, subject: null, ttlSeconds: 60 })
  expect([...(await createTokenVerifier(clients).verify(token)).scopes]).toEqual(BOTH)
})

it.each([
  ['permissions', ['permissions']],
  [' scp , realm_access.roles', ['scp', 'realm_access.roles']],
  ['https://shop.example/roles', ['https://shop.example/roles']],
])('JWT_SCOPE_CLAIMS may be %j', (text, scopeClaims) => {
  const result = parseConfig({ JWT_SCOPE_CLAIMS: text, JWT_SCOPE_PREFIX: 'payments/' })
  expect(result).toMatchObject({ config: { clients: { scopeClaims, scopePrefix: 'payments/' } } })
})

it.each(['a,', ',', 'a b', 'a,,b', 'a\u0000'])('JWT_SCOPE_CLAIMS must not be %j', (text) => {
  const result = parseConfig({ JWT_SCOPE_CLAIMS: text })
  expect(result).toMatchObject({ faults: [{ setting: 'JWT_SCOPE_CLAIMS' }] })
})
