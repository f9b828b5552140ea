import type { Sandbox, SandboxOptions } from 'payments-subgraph-sandbox'
import { expect, test } from 'vitest'
import { agreementBody, create } from './bodies.ts'
import { call, sandboxFor, startReceiver } from './support.ts'
import type { Receiver } from './support.ts'

const PATH = '/v1/pay_to/payment_agreement'

type Begun = { sandbox: Sandbox; receiver: Receiver; json: Record<string, unknown>; id: number }

async function begin(options: SandboxOptions = {}, over: Record<string, unknown> = {}): Promise<Begun> {
  const sandbox = await sandboxFor(options)
  const receiver = await startReceiver()
  const payment_agreement_notification = { endpoint_url: receiver.url, authorization_header: 'Bearer of-this-one' }
  const body = agreementBody({ payment_agreement_notification, external_id: 'rent-7', ...over })
  const json = await create(sandbox, PATH, body, 'aud')
  return { sandbox, receiver, json, id: Number(json['id']) }
}

const payer = (name: string): Record<string, unknown> => ({
  payer_details: { name, bank_account_details: { bsb: '062000', account_number: '12345678' } },
})

test('a creation is answered with exactly the agreement object', async () => {
  const { receiver, json, id } = await begin({ startAt: new Date('2026-03-01T10:00:00Z') })
  expect(json).toEqual({
    id: expect.any(Number) as number,
    payment_agreement_id: `agreement-${id}`,
    client_transaction_id: 'order-1',
    limit_amount: 250.5,
    description: 'Monthly rent',
    external_id: 'rent-7',
    status: 'created',
    created_at: expect.stringMatching(/^2026-03-01T10:00:\d\d\.\d{3}Z$/) as string,
    payment_agreement_type: 'OTHER SERVICE',
    agreement_details: { variable_agreement_details_obj: { start_date: '29/02/28', frequency: 'MONTHLY' } },
    payer_details: { name: 'Ada Payer 2', bank_account_details: { bsb: '062-000', account_number: '12345678' } },
    payment_agreement_notification: { endpoint_url: receiver.url, authorization_header: 'Bearer of-this-one' },
  })
})

test('the payer authorises after 5 seconds, and the callback has the Authorization and no signature', async () => {
  const { sandbox, receiver, json } = await begin()
  await sandbox.clock.advance(3000)
  expect(receiver.received).toEqual([])
  await sandbox.clock.advance(2000)
  expect(receiver.received).toHaveLength(1)
  const [callback] = receiver.received
  expect(callback?.json).toEqual({ ...json, status: 'active' })
  expect(callback?.headers.authorization).toBe('Bearer of-this-one')
  expect(callback?.headers['content-type']).toBe('application/json')
  expect(callback?.headers).not.toHaveProperty('http-webhook-signature')
})

test('a client_transaction_id is taken once, whatever became of it', async () => {
  const { sandbox, id } = await begin()
  const again = await call(sandbox, PATH, { body: agreementBody() })
  expect(again.status).toBe(422)
  expect(again.json).toEqual({ errors: { message: 'client_transaction_id has already been taken' } })
  await sandbox.control.setAgreementStatus(id, 'failed')
  expect((await call(sandbox, PATH, { body: agreementBody() })).status).toBe(422)
  const other = await create(sandbox, PATH, agreementBody({ client_transaction_id: 'order-2' }), 'aud')
  expect(other['id']).not.toBe(id)
})

const MOVES: Record<string, readonly string[]> = {
  created: ['cancelled'],
  active: ['suspended', 'cancelled'],
  suspended: ['active', 'cancelled'],
  cancelled: [],
  failed: [],
}

const moves = (isLegal: boolean): [string, string][] =>
  Object.entries(MOVES).flatMap(([from, legal]) =>
    ['active', 'suspended', 'cancelled']
      .filter((to) => legal.includes(to) === isLegal)
      .map((to): [string, string] => [from, to]),
  )

async function move(from: string, to: string): Promise<Begun & { status: number; answer: Record<string, unknown> }> {
  const begun = await begin({}, payer('Keep Waiting'))
  await begun.sandbox.control.setAgreementStatus(begun.id, from as 'active', { silent: true })
  const { status, json } = await call(begun.sandbox, `${PATH}/change_status`, { body: { id: begun.id, status: to } })
  await begun.sandbox.settle()
  return { ...begun, status, answer: json }
}

test.each(moves(true))('the merchant may move an agreement from %s to %s', async (from, to) => {
  const { receiver, status, answer } = await move(from, to)
  expect([status, answer['status'], receiver.statuses()]).toEqual([200, to, [to]])
  expect(receiver.received[0]?.json).toEqual(answer)
})

test.each(moves(false))('the merchant may not move an agreement from %s to %s', async (from, to) => {
  const { sandbox, receiver, status, answer } = await move(from, to)
  expect([status, receiver.statuses()]).toEqual([422, []])
  expect(answer).toEqual({ errors: { message: expect.stringContaining(from) as string } })
  expect(sandbox.control.state().agreements[0]?.status).toBe(from)
})

const TERMS = {
  limit_amount: 5000,
  agreement_details: { balloon_agreement_details_obj: { start_date: '15/07/27', frequency: 'WEEKLY' } },
}

test('an amendment changes the terms, and later callbacks go to the new address', async () => {
  const { sandbox, receiver, json, id } = await begin()
  const elsewhere = await startReceiver()
  const payment_agreement_notification = { endpoint_url: elsewhere.url, authorization_header: 'Bearer new' }
  const body = { id, ...TERMS, payment_agreement_notification }
  const amended = await call(sandbox, `${PATH}/amendment`, { body })
  expect(amended.status).toBe(200)
  expect(amended.json).toEqual({
    payment_agreement_amendment: { ...json, ...TERMS, payment_agreement_notification },
    payment_agreement_amendment_status: expect.any(Object) as object,
  })
  await sandbox.clock.advance(5000)
  expect(receiver.received).toEqual([])
  expect(elsewhere.received.map(({ headers, json: told }) => [headers.authorization, told['limit_amount']])).toEqual([
    ['Bearer new', 5000],
  ])
})
