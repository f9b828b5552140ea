import { expect, test } from 'vitest'
import { call, control, createLink, linkBody, sandboxFor } from '../support.ts'

test('a fault answers instead of the payments API, so many times, and then is over', async () => {
  const sandbox = await sandboxFor()
  const fault = {
    method: 'GET',
    path: '/v3/payin_methods',
    times: 2,
    answer: { status: 429, body: { errors: { message: 'Slow down' } }, headers: { 'retry-after': '7' } },
  }
  expect((await control(sandbox, '/faults', fault)).status).toBe(204)
  for (const expected of [429, 429, 200]) {
    expect((await call(sandbox, '/v3/payin_methods')).status).toBe(expected)
  }
})

test.each([
  ['POST', '/v1/pay_to/payment_agreement'],
  ['POST', '/v1/pay_to/payment_agreement/amendment'],
  ['POST', '/v1/pay_to/payment_agreement/change_status'],
  ['GET', '/v1/pay_to/payment_agreement/search'],
  ['GET', '/v1/payment_gateways/access_token'],
  ['POST', '/v1/payment_gateways/create_payment'],
  ['POST', '/v1/simulate_deposit'],
  ['GET', '/v2/payins/payin_methods'],
  ['GET', '/v2/payins/payin_method/params'],
  ['POST', '/v2/payins'],
  ['GET', '/v2/payins/detail'],
  ['GET', '/v2/payins/all'],
  ['POST', '/v2/payins/simulate'],
  ['POST', '/v2/payins/refund'],
  ['POST', '/v2/payins/cancel'],
  ['GET', '/v2/payouts/payout_methods'],
  ['GET', '/v2/payouts/payout_method/params'],
  ['POST', '/v2/payouts'],
  ['GET', '/v2/payouts/detail'],
  ['GET', '/v2/payouts/all'],
  ['POST', '/v2/payouts/cancel_scheduled'],
  ['GET', '/v2/balances/detail'],
  ['POST', '/v2/banks/lookup/qr_content'],
  ['POST', '/v2/banks/lookup/qr_image'],
])('%s %s asks for the credentials of a site, exists, and may meet a fault', async (method, path) => {
  const sandbox = await sandboxFor()
  const init = { method, ...(method === 'POST' ? { body: {} } : {}) }
  expect((await fetch(`${sandbox.url}${path}`, { method })).status).toBe(401)
  const { text } = await call(sandbox, path, init)
  expect(text).not.toContain('There is no such endpoint.')
  sandbox.control.addFault({ method, path, answer: { status: 503 } })
  expect((await call(sandbox, `${path}?a=b`, init)).status).toBe(503)
})

test('reset cuts the connection before the work, drop-after does the work first', async () => {
  const sandbox = await sandboxFor()
  sandbox.control.addFault({ path: '/v3/payin_links', answer: 'reset' })
  await expect(call(sandbox, '/v3/payin_links', { body: linkBody() })).rejects.toThrow('fetch failed')
  expect(sandbox.control.state().links).toHaveLength(0)
  sandbox.control.addFault({ path: '/v3/payin_links', answer: 'drop-after' })
  await expect(call(sandbox, '/v3/payin_links', { body: linkBody() })).rejects.toThrow('fetch failed')
  expect(sandbox.control.state().links).toHaveLength(1)
  expect(sandbox.control.state().counters.faultsLeft).toBe(0)
})

test('hang gives no answer, does no work, and does not hold up the end', async () => {
  const sandbox = await sandboxFor()
  sandbox.control.addFault({ answer: 'hang' })
  const hanging = call(sandbox, '/v3/payin_links', { body: linkBody(), signal: AbortSignal.timeout(100) })
  await expect(hanging).rejects.toThrow(/timeout/i)
  sandbox.control.addFault({ answer: 'hang' })
  const left = call(sandbox, '/v3/payin_links', { body: linkBody() }).then(
    () => 'answered',
    () => 'cut',
  )
  await expect.poll(() => sandbox.control.calls().length).toBe(2)
  expect(sandbox.control.state().links).toHaveLength(0)
  await sandbox.close()
  expect(await left).toBe('cut')
})

test('the calls are remembered without secrets, refused and faulty ones too', async () => {
  const sandbox = await sandboxFor()
  await createLink(sandbox)
  await call(sandbox, '/v3/payin_links?email=ada', { headers: { 'secret-key': 'wrong-secret' } })
  await fetch(`${sandbox.url}/v9/nothing`)
  const { json } = await control(sandbox, '/calls')
  expect(json['records']).toMatchObject([
    { method: 'POST', path: '/api/v3/payin_links', appId: 'sandbox-aud' },
    { method: 'GET', path: '/api/v3/payin_links', appId: 'sandbox-aud' },
    { method: 'GET', path: '/api/v9/nothing', appId: null },
  ])
  expect(JSON.stringify(json)).not.toMatch(/secret|email/)
})
