import { startSandbox } from 'payments-subgraph-sandbox'
import { afterAll, expect, test } from 'vitest'
import { call, createLink, linkBody, press, sandboxFor } from '../support.ts'

// The tables share one sandbox, because their links do not affect each other.
const shared = await startSandbox()
afterAll(() => shared.close())

const SENDER = { email: 'ada@example.test', first_name: 'Ada', last_name: 'Payer' }

test('a link is answered with exactly uuid, payment_url and expired_at', async () => {
  const startAt = new Date('2026-03-01T10:00:00Z')
  const sandbox = await sandboxFor({ startAt })
  const { status, json } = await call(sandbox, '/v3/payin_links', { body: linkBody() })
  expect(status).toBe(200)
  expect(Object.keys(json)).toEqual(['uuid', 'payment_url', 'expired_at'])
  expect(json['uuid']).toMatch(/^[A-Z0-9]{8}$/)
  expect(json['payment_url']).toBe(`${sandbox.origin}/checkout/${String(json['uuid'])}`)
  const lifetime = Date.parse(String(json['expired_at'])) - startAt.getTime()
  expect(lifetime).toBeGreaterThanOrEqual(1_800_000)
  expect(lifetime).toBeLessThan(1_830_000)
})

test.each<[string, Record<string, unknown>, string]>([
  ['no amount', { amount: undefined }, 'amount'],
  ['amount below the minimum of the method', { amount: 0.99, payin_method_code: 'au_card_aud' }, 'amount'],
  ['an email of another shape', { sender_info: { ...SENDER, email: 'ada' } }, 'sender_info.email'],
  ['a method of another site', { payin_method_code: 'nz_card_nzd' }, 'payin_method_code'],
  ['expiry below the minimum', { expires_in: 899 }, 'expires_in'],
  ['failure with a script', { redirect_url: { failure: 'javascript:alert(1)' } }, 'redirect_url.failure'],
  ['an endpoint that is no URL', { webhook_notification: { endpoint_url: 'x' } }, 'webhook_notification.endpoint_url'],
])('%s is answered 422 under the name of the field', async (_name, over, field) => {
  const before = shared.control.state().counters.links
  const { status, json } = await call(shared, '/v3/payin_links', { body: linkBody(over) })
  expect(status).toBe(422)
  expect(json).toEqual({ errors: { [field]: expect.stringMatching(/\w/) as string } })
  expect(shared.control.state().counters.links).toBe(before)
})

test.each<[string, string, string]>([
  ['a text that is no JSON', '{"amount":', 'application/json'],
  ['a form', 'amount=1', 'application/x-www-form-urlencoded'],
])('%s is answered 400 without a body', async (_name, body, type) => {
  const { status, text } = await call(shared, '/v3/payin_links', { body, headers: { 'content-type': type } })
  expect(status).toBe(400)
  expect(text).toBe('')
})

test.each<[string, string, string]>([
  ['jpy', '1000.5', '1001.0'],
  ['jpy', '1000.49', '1000.0'],
  ['vnd', '15000', '15000.0'],
  ['aud', '0.1e3', '100.0'],
  ['aud', '1234.567890123456', '1234.567890123456'],
  ['aud', '125.50', '125.5'],
])('%s %s is recorded as %s', async (site, amount, recorded) => {
  const body = JSON.stringify(linkBody()).replace('125.5', amount)
  const { json } = await call(shared, '/v3/payin_links', { site, body })
  const detail = await call(shared, `/v3/payin_links/${String(json['uuid'])}`, { site })
  expect(detail.json).toMatchObject({ amount: recorded, total: recorded, currency: site.toUpperCase() })
})

test('the detail has the uuid of the link until the customer begins, and that of the payment from then on', async () => {
  const sandbox = await sandboxFor()
  const uuid = await createLink(sandbox)
  const before = await call(sandbox, `/v3/payin_links/${uuid}`)
  expect(before.json).toMatchObject({ uuid, status: 'pending', payment_method: null, sender_details: null })
  await press(sandbox, uuid, 'pay', { method_code: 'au_alias_npp_aud' })
  const after = await call(sandbox, `/v3/payin_links/${uuid}`)
  expect(after.json['uuid']).toMatch(/^[A-Z0-9]{8}$/)
  expect(after.json['uuid']).not.toBe(uuid)
  expect(Object.keys(after.json)).toEqual(Object.keys(before.json))
})

test('a link that is unknown, or of another site, is answered 404', async () => {
  const sandbox = await sandboxFor()
  const uuid = await createLink(sandbox)
  for (const [path, site] of [['AAAAAAAA', 'aud'] as const, [uuid, 'nzd'] as const, ['..%2Fx', 'aud'] as const]) {
    const { status, json } = await call(sandbox, `/v3/payin_links/${path}`, { site })
    expect(status).toBe(404)
    expect(json).toEqual({ errors: { message: expect.any(String) as string } })
  }
})
