import type { Sandbox } from 'payments-subgraph-sandbox'
import { expect, test } from 'vitest'
import { call, createLink, press, sandboxFor, startReceiver } from '../support.ts'
import type { Receiver } from '../support.ts'

const REFUND = '/v3/payin_links/refund'

async function paid(): Promise<{ sandbox: Sandbox; receiver: Receiver; uuid: string }> {
  const sandbox = await sandboxFor()
  const receiver = await startReceiver()
  const uuid = await createLink(sandbox, { amount: 100, webhook_notification: { endpoint_url: receiver.url } })
  await press(sandbox, uuid, 'pay', { method_code: 'au_alias_npp_aud' })
  await sandbox.clock.advance(400)
  receiver.received.length = 0
  return { sandbox, receiver, uuid }
}

test('parts add up until nothing is left', async () => {
  const { sandbox, receiver, uuid } = await paid()
  const refund = async (amount: number): Promise<number> => {
    const { status } = await call(sandbox, REFUND, { body: { uuid, amount, description: 'A part of it' } })
    await sandbox.clock.advance(400)
    return status
  }
  expect([await refund(30.1), await refund(69.91), await refund(69.9), await refund(1)]).toEqual([200, 422, 200, 422])
  expect(receiver.statuses()).toEqual(['return_pending', 'partially_refunded', 'return_pending', 'return_received'])
  const totals = receiver.received.map(
    ({ json }) => (json['refund_information'] as Record<string, unknown>)['refund_amount'],
  )
  expect(totals).toEqual(['30.1', '30.1', '100.0', '100.0'])
})

test.each<[string, Record<string, unknown>, string]>([
  ['no uuid', { uuid: undefined }, 'uuid'],
  ['an unknown uuid', { uuid: 'NOTHING1' }, 'payment_request_id'],
  ['a short description', { description: 'oops' }, 'description'],
  ['an amount of zero', { amount: 0 }, 'refund_amount'],
])('%s is answered 422', async (_name, over, field) => {
  const { sandbox, uuid } = await paid()
  const { status, json } = await call(sandbox, REFUND, { body: { uuid, description: 'Goods returned', ...over } })
  expect(status).toBe(422)
  expect(Object.keys(json['errors'] as object)).toEqual([field])
})

test('refund statuses of the control endpoint tell how much', async () => {
  const { sandbox, receiver, uuid } = await paid()
  await sandbox.control.setStatus(uuid, 'partially_refunded', { refundAmount: '12.5' })
  await sandbox.control.setStatus(uuid, 'return_received', { refundAmount: '100' })
  expect(receiver.received.map(({ json }) => json['refund_information'])).toMatchObject([
    { refund_amount: '12.5' },
    { refund_amount: '100.0' },
  ])
})
