import type { PaymentStatus, Sandbox } from 'payments-subgraph-sandbox'
import { expect, test } from 'vitest'
import { create, payinBody } from './bodies.ts'
import { call, sandboxFor, startReceiver } from './support.ts'
import type { Receiver } from './support.ts'

type Json = Record<string, unknown>

async function paid(over: Json = {}, site = 'php'): Promise<{ sandbox: Sandbox; receiver: Receiver; uuid: string }> {
  const sandbox = await sandboxFor()
  const receiver = await startReceiver()
  const webhook_notification = { endpoint_url: receiver.url, authorization_header: 'Bearer r' }
  const { uuid } = await create(sandbox, '/v2/payins', payinBody({ webhook_notification, ...over }), site)
  await call(sandbox, '/v2/payins/simulate', { site, body: { uuid, status: 'completed' } })
  await sandbox.settle()
  receiver.received.length = 0
  return { sandbox, receiver, uuid: String(uuid) }
}

const refund = (sandbox: Sandbox, body: Json, site = 'php'): Promise<{ status: number; text: string; json: Json }> =>
  call(sandbox, '/v2/payins/refund', { site, body: { description: 'Goods returned', ...body } })

test('the answer has the record under its two other spellings, and the refund ends by itself', async () => {
  const { sandbox, receiver, uuid } = await paid()
  const { status, json } = await refund(sandbox, { uuid })
  expect(status).toBe(200)
  expect(json).toMatchObject({ total_amount: '500.0', refund_amount: '500.0', description: 'Goods returned' })
  const record = json['payin_request'] as Json
  expect(record).toMatchObject({
    uuid,
    status: 'return_pending',
    payin_notification: { endpoint_url: receiver.url, authorization_header: '****' },
    expried_at: expect.stringMatching(/\+0000$/) as string,
  })
  expect(record).not.toHaveProperty('webhook_notification')
  expect(record).not.toHaveProperty('expired_at')
  await sandbox.clock.advance(400)
  expect(receiver.statuses()).toEqual(['return_pending', 'return_received'])
})

test('parts add up until nothing is left', async () => {
  const { sandbox, receiver, uuid } = await paid()
  const part = async (amount: number): Promise<number> => {
    const { status } = await refund(sandbox, { uuid, amount })
    await sandbox.clock.advance(400)
    return status
  }
  expect([await part(100.5), await part(399.51), await part(399.5), await part(1)]).toEqual([200, 422, 200, 422])
  expect(receiver.statuses()).toEqual(['return_pending', 'partially_refunded', 'return_pending', 'return_received'])
})

test.each(['return_rejected', 'return_expired'])('the magic description %s decides the end', async (description) => {
  const { sandbox, receiver, uuid } = await paid()
  await refund(sandbox, { uuid, description })
  await sandbox.clock.advance(10 * 86_400_000)
  expect(receiver.statuses()).toEqual(['return_pending', description])
})

test.each<[string, Json, string]>([
  ['no uuid', { uuid: undefined }, 'payment_request_id'],
  ['an unknown uuid', { uuid: 'NOTHING1' }, 'payment_request_id'],
  ['no description', { description: undefined }, 'reason'],
  ['a description of 4', { description: 'oops' }, 'reason'],
  ['amount as a text', { amount: '5' }, 'refund_amount'],
  ['an amount of zero', { amount: 0 }, 'refund_amount'],
  ['more than was paid', { amount: 500.01 }, 'refund_amount'],
])('%s is answered 422', async (_name, over, field) => {
  const { sandbox, uuid } = await paid()
  const { status, json } = await refund(sandbox, { uuid, ...over })
  expect(status).toBe(422)
  expect(json).toEqual({ errors: { [field]: expect.any(String) as string } })
})

test.each<PaymentStatus>([
  'pending',
  'failed',
  'waiting',
  'return_pending',
  'return_received',
  'return_rejected',
  'in_dispute',
])('a payin that is %s is not refunded', async (status) => {
  const { sandbox, uuid } = await paid()
  await sandbox.control.setStatus(uuid, status)
  expect((await refund(sandbox, { uuid })).json).toEqual({ errors: { payment_request_id: 'is not refundable' } })
})

test('mobile money is not refunded, nor what another site was paid, nor a text that is no JSON', async () => {
  const { sandbox, uuid } = await paid()
  const params = { payin_method_name: 'ke_mobile_money_kes', payin_method_params: { phone: '+254712345678' } }
  const mobile = await paid({ currency: 'KES', ...params }, 'kes')
  expect((await refund(mobile.sandbox, { uuid: mobile.uuid }, 'kes')).status).toBe(422)
  expect((await refund(sandbox, { uuid }, 'aud')).status).toBe(422)
  const answer = await call(sandbox, '/v2/payins/refund', { site: 'php', body: '{' })
  expect(answer).toMatchObject({ status: 400, text: '' })
})
