import { expect, test } from 'vitest'
import { call, sandboxFor } from '../support.ts'

const NOT_AUTHORISED = { errors: { code: 'REQUIRE_LOGIN', message: 'Not Authorised' } }

test.each<[string, Record<string, string>]>([
  ['an unknown app-id', { 'app-id': 'nobody' }],
  ['a wrong secret-key', { 'secret-key': 'wrong' }],
  ['the secret-key of another site', { 'secret-key': 'sandbox-secret-nzd' }],
  ['empty headers', { 'app-id': '', 'secret-key': '' }],
])('%s is answered 401, on unknown paths too', async (_name, headers) => {
  const sandbox = await sandboxFor()
  for (const path of ['/v3/payin_methods', '/v3/payin_links', '/v9/nothing']) {
    const { status, json } = await call(sandbox, path, { headers })
    expect(status).toBe(401)
    expect(json).toEqual(NOT_AUTHORISED)
  }
})

test('an unknown path or method is answered 404 with a message', async () => {
  const sandbox = await sandboxFor()
  for (const [method, path] of [['GET', '/v9/nothing'] as const, ['DELETE', '/v3/payin_methods'] as const]) {
    const { status, json } = await call(sandbox, path, { method })
    expect(status).toBe(404)
    expect(json).toEqual({ errors: { message: expect.any(String) as string } })
  }
})
