import type { Sandbox } from 'payments-subgraph-sandbox'
import { expect, test } from 'vitest'
import { call, control, press, sandboxFor, startReceiver } from './support.ts'

type Json = Record<string, unknown>

const PATH = '/v1/payment_gateways/create_payment'
const BILLING = { first_name: 'Ada', last_name: 'Payer', phone: '+61412345678', email: 'ada@example.test' }

const order = (over: Json = {}): Json => ({
  order_id: 'order-1',
  amount: 100,
  description: 'Order payment',
  order_success_url: 'https://shop.example.test/ok',
  payment_gateway_notification: { endpoint_url: 'https://shop.example.test/g', authorization_header: 'Bearer g' },
  order_details: { billing_details: BILLING },
  ...over,
})

async function tokenOf(sandbox: Sandbox, site = 'aud'): Promise<string> {
  const { status, json } = await call(sandbox, '/v1/payment_gateways/access_token', { site })
  expect([status, json]).toEqual([200, { access_token: expect.any(String) as string, expires_in: 3600 }])
  return String(json['access_token'])
}

const pay = (sandbox: Sandbox, token: string, body: unknown = order()): ReturnType<typeof call> =>
  call(sandbox, PATH, { body, headers: { 'access-token': token } })

test('a payment with a token and the header pair is answered with the address, a number and the order', async () => {
  const sandbox = await sandboxFor()
  const { status, json } = await pay(sandbox, await tokenOf(sandbox))
  expect(status).toBe(200)
  expect(json).toEqual({
    redirect_url: expect.stringMatching(/\?payment=\w{40,}/) as string,
    payment_id: expect.any(Number) as number,
    order_id: 'order-1',
  })
  expect(Number.isInteger(json['payment_id'])).toBe(true)
  const second = await pay(sandbox, await tokenOf(sandbox), order({ order_id: 'order-2' }))
  expect(second.json['payment_id']).not.toBe(json['payment_id'])
})

test('a token lives for an hour of the sandbox clock, and a new one does not end it', async () => {
  const sandbox = await sandboxFor()
  const token = await tokenOf(sandbox)
  expect(await tokenOf(sandbox)).not.toBe(token)
  await sandbox.clock.advance(3_500_000)
  expect((await pay(sandbox, token)).status).toBe(200)
  await sandbox.clock.advance(100_000)
  expect(await pay(sandbox, token, order({ order_id: 'order-2' }))).toMatchObject({ status: 401, text: '' })
})

test('no token, an unknown one and that of another site are answered 401 without a body', async () => {
  const sandbox = await sandboxFor()
  const foreign = await tokenOf(sandbox, 'php')
  for (const token of [undefined, '', 'unknown', foreign]) {
    const headers: Record<string, string> = token === undefined ? {} : { 'access-token': token }
    expect(await call(sandbox, PATH, { body: order(), headers })).toMatchObject({ status: 401, text: '' })
  }
})

test.each<[string, Json, string]>([
  ['no order_id', order({ order_id: undefined }), 'order_id'],
  ['an amount of zero', order({ amount: 0 }), 'amount'],
  ['a success address that is no URL', order({ order_success_url: '/ok' }), 'order_success_url'],
])('%s is answered 422 under the name of the field', async (_name, body, field) => {
  const sandbox = await sandboxFor()
  const { status, json } = await pay(sandbox, await tokenOf(sandbox), body)
  expect(status).toBe(422)
  expect(json).toEqual({ errors: { [field]: expect.any(String) as string } })
  expect(sandbox.control.state().gatewayPayments).toEqual([])
})

test('an order_id is taken once, and a text that is no JSON is answered 400 without a body', async () => {
  const sandbox = await sandboxFor()
  const token = await tokenOf(sandbox)
  await pay(sandbox, token)
  expect((await pay(sandbox, token)).json).toEqual({ errors: { order_id: 'has already been taken' } })
  expect(await pay(sandbox, token, '{')).toMatchObject({ status: 400, text: '' })
})

test('the payer pays at the address, callbacks tell of it, and Done leads to the shop', async () => {
  const sandbox = await sandboxFor()
  const receiver = await startReceiver()
  const payment_gateway_notification = { endpoint_url: receiver.url, authorization_header: 'Bearer of-this-order' }
  const { json } = await pay(sandbox, await tokenOf(sandbox), order({ payment_gateway_notification }))
  expect(await (await fetch(String(json['redirect_url']))).text()).toContain('Pay </span>100.00 <small>AUD</small>')
  const { gatewayPayments, links } = sandbox.control.state()
  expect(links).toEqual([])
  expect((await call(sandbox, '/v3/payin_links')).json['total']).toBe(0)
  const uuid = gatewayPayments[0]?.uuid ?? ''
  await press(sandbox, uuid, 'pay', { method_code: 'au_alias_npp_aud' })
  await sandbox.clock.advance(400)
  expect(receiver.received.map(({ headers, json: told }) => [headers.authorization, told])).toEqual(
    ['pending', 'received'].map((status) => [
      'Bearer of-this-order',
      { payment_id: json['payment_id'], order_id: 'order-1', status },
    ]),
  )
  const done = await fetch(`${sandbox.origin}/checkout/${uuid}/done`, { method: 'POST', redirect: 'manual' })
  expect(done.headers.get('location')).toBe('https://shop.example.test/ok')
  const set = await control(sandbox, `/gateway_payments/${uuid}/status`, { status: 'in_dispute' })
  expect(set.json['status']).toBe('in_dispute')
})
