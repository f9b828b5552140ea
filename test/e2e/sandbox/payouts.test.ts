import type { Sandbox, SandboxOptions } from 'payments-subgraph-sandbox'
import { expect, test } from 'vitest'
import { verify } from '../../../src/webhooks/signature.ts'
import { create, payee, payoutBody } from './bodies.ts'
import { call, sandboxFor, startReceiver } from './support.ts'
import type { Receiver } from './support.ts'

type Json = Record<string, unknown>
type Begun = { sandbox: Sandbox; receiver: Receiver; json: Json; uuid: string }

const START = new Date('2026-03-01T10:00:00Z')
const HOUR_MS = 3_600_000
/** Milliseconds; longer than a slow machine takes between two calls, because the sandbox's clock also runs in real time. */
const PACE_MS = 60_000

async function begin(over: Json = {}, options: SandboxOptions = {}): Promise<Begun> {
  const sandbox = await sandboxFor({ startAt: START, paceMs: PACE_MS, ...options })
  const receiver = await startReceiver()
  const webhook_notification = { endpoint_url: receiver.url, authorization_header: 'Bearer of-this-batch' }
  const json = await create(sandbox, '/v2/payouts', payoutBody({ webhook_notification, ...over }))
  return { sandbox, receiver, json, uuid: String(json['uuid']) }
}

const detail = async ({ sandbox, uuid }: Begun): Promise<Json> =>
  (await call(sandbox, `/v2/payouts/detail?uuid=${uuid}`, { site: 'php' })).json

const cancel = ({ sandbox, uuid }: Begun, site = 'php'): Promise<{ status: number; text: string; json: Json }> =>
  call(sandbox, '/v2/payouts/cancel_scheduled', { site, body: { uuid } })

test('a creation is answered with the record of the batch', async () => {
  const { receiver, json } = await begin({
    external_id: 'batch-7',
    payout_transaction_details: [payee({ external_id: '1' }), payee({ amount: 200.5 })],
  })
  expect(json).toMatchObject({
    uuid: expect.stringMatching(/^[A-Z0-9]{8}$/) as string,
    currency: 'PHP',
    payout_method_name: 'ph_bank_php',
    description: 'Weekly wages',
    total_amount: '700.5',
    status: 'created',
    webhook_notification: { endpoint_url: receiver.url, authorization_header: '****' },
    scheduled_at: null,
    error_code: null,
    error_message: null,
    external_id: 'batch-7',
  })
  const [first, second] = json['payout_transactions'] as Json[]
  expect(first).toMatchObject({
    uuid: expect.stringMatching(/^[A-Z0-9]{8}$/) as string,
    balance_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{8}$/) as string,
    payee: 'Ada Payee 2',
    amount: '500.00',
    payout_method_params: { account_number: '12345678', account_name: 'Ada Payee', bank_code: '600' },
  })
  expect(second).toMatchObject({ amount: '200.50' })
})

test('a batch is processed and completed, with signed webhooks', async () => {
  const begun = await begin()
  const { sandbox, receiver } = begun
  await sandbox.clock.advance(PACE_MS)
  expect(receiver.statuses()).toEqual(['processing'])
  await sandbox.clock.advance(PACE_MS)
  expect(receiver.statuses()).toEqual(['processing', 'completed'])
  for (const { headers, body } of receiver.received) {
    expect(headers.authorization).toBe('Bearer of-this-batch')
    expect(verify(body, headers['http-webhook-signature'] as string, [sandbox.webhookSecret])).toBe(true)
  }
  expect(await detail(begun)).toEqual(receiver.received[1]?.json)
  expect(receiver.received[1]?.json['payout_transactions']).toMatchObject([{ status: 'settled' }])
  await sandbox.clock.advance(HOUR_MS)
  expect(receiver.received).toHaveLength(2)
})

test('a scheduled batch can be called off once, and expires', async () => {
  const begun = await begin({ scheduled_at: '2026-03-02T10:00:00Z' })
  expect(await cancel(begun)).toMatchObject({ status: 200, text: '{"status":"ok"}' })
  expect((await cancel(begun)).status).toBe(422)
  await begun.sandbox.clock.advance(48 * HOUR_MS)
  expect(begun.receiver.statuses()).toEqual(['scheduled', 'expired'])
  expect(await detail(begun)).toMatchObject({ status: 'expired', payout_transactions: [{ status: 'failed' }] })
})

test('a batch that is unknown, or of another site, is not found', async () => {
  const begun = await begin({ scheduled_at: '2026-03-02T10:00:00' })
  expect((await cancel({ ...begun, uuid: 'NOTHING1' })).status).toBe(404)
  expect((await cancel({ ...begun, uuid: '' })).status).toBe(422)
  const foreign = await cancel(begun, 'aud')
  expect(foreign).toMatchObject({ status: 404, json: { errors: { message: expect.any(String) as string } } })
  expect((await call(begun.sandbox, `/v2/payouts/detail?uuid=${begun.uuid}`)).status).toBe(422)
})
