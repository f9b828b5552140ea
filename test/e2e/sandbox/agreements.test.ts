import type { Sandbox, SandboxOptions } from 'payments-subgraph-sandbox'
import { expect, test } from 'vitest'
import { verify } from '../../../src/webhooks/signature.ts'
import { agreementBody, create } from './bodies.ts'
import { call, control, sandboxFor, startReceiver } from './support.ts'
import type { Receiver } from './support.ts'

const PATH = '/v1/pay_to/payment_agreement'
const MINUTE_MS = 60_000

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

test('the callbacks are signed where the sandbox is told to, and the payer may be quicker', async () => {
  const { sandbox, receiver } = await begin({ signAgreementCallbacks: true, mandateMs: 10 })
  await sandbox.clock.advance(10)
  const [callback] = receiver.received
  const signature = callback?.headers['http-webhook-signature'] as string
  expect(verify(callback?.body ?? Buffer.alloc(0), signature, [sandbox.webhookSecret])).toBe(true)
})

test.each([
  ['Reject Mandate', ['failed']],
  ['Keep Waiting', []],
])('the payer %s ends in %j', async (name, statuses) => {
  const { sandbox, receiver } = await begin({}, payer(name))
  await sandbox.clock.advance(60 * MINUTE_MS)
  expect(receiver.statuses()).toEqual(statuses)
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

test('a cancelled agreement is not authorised any more', async () => {
  const { sandbox, receiver, id } = await begin()
  await call(sandbox, `${PATH}/change_status`, { body: { id, status: 'cancelled' } })
  await sandbox.clock.advance(MINUTE_MS)
  expect(receiver.statuses()).toEqual(['cancelled'])
})

test.each<[string, Record<string, unknown>, number]>([
  ['an unknown id', { id: 77, status: 'active' }, 404],
  ['no id', { status: 'active' }, 422],
  ['an id as a text', { id: '1', status: 'active' }, 422],
  ['a fraction of an id', { id: 1.5, status: 'active' }, 422],
  ['no status', { id: 1 }, 422],
  ['a status that nobody may ask for', { id: 1, status: 'failed' }, 422],
])('a change of status with %s is answered', async (_name, body, expected) => {
  const { sandbox } = await begin()
  const { status, json } = await call(sandbox, `${PATH}/change_status`, { body })
  expect(status).toBe(expected)
  expect(json).toEqual({ errors: { message: expect.any(String) as string } })
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

test.each<[string, Record<string, unknown>, number]>([
  ['an unknown id', { id: 77 }, 404],
  ['no id', { id: undefined }, 422],
  ['no limit', { limit_amount: undefined }, 422],
  ['no details', { agreement_details: undefined }, 422],
  ['no notification', { payment_agreement_notification: undefined }, 422],
])('an amendment with %s is answered', async (_name, over, expected) => {
  const { sandbox, id } = await begin()
  const { payment_agreement_notification } = agreementBody()
  const body = { id, ...TERMS, payment_agreement_notification, ...over }
  expect((await call(sandbox, `${PATH}/amendment`, { body })).status).toBe(expected)
})

test.each(['cancelled', 'failed'] as const)('a %s agreement cannot be amended', async (status) => {
  const { sandbox, id } = await begin()
  await sandbox.control.setAgreementStatus(id, status)
  const { payment_agreement_notification } = agreementBody()
  const body = { id, ...TERMS, payment_agreement_notification }
  expect((await call(sandbox, `${PATH}/amendment`, { body })).status).toBe(422)
})

test('the agreements of another site are not found', async () => {
  const sites = ['one', 'two'].map((id) => ({
    id,
    appId: `sandbox-${id}`,
    secretKey: `sandbox-secret-${id}`,
    currencies: ['AUD'],
  }))
  const sandbox = await sandboxFor({ sites })
  const { id } = await create(sandbox, PATH, agreementBody(), 'one')
  const change = { site: 'two', body: { id, status: 'cancelled' } }
  expect((await call(sandbox, `${PATH}/change_status`, change)).status).toBe(404)
  const range = 'from_date=01/01/20&to_date=01/01/40'
  expect((await call(sandbox, `${PATH}/search?${range}`, { site: 'two' })).json['total_count']).toBe(0)
})

test('the search pages through a range of days, newest first', async () => {
  const sandbox = await sandboxFor({ startAt: new Date('2026-03-01T10:00:00Z') })
  const ids: unknown[] = []
  for (let day = 1; day <= 3; day += 1) {
    ids.unshift(
      (
        await create(sandbox, PATH, agreementBody({ ...payer('Keep Waiting'), client_transaction_id: `${day}` }), 'aud')
      )['id'],
    )
    await sandbox.clock.advance(24 * 60 * MINUTE_MS)
  }
  const search = async (query: string): Promise<Record<string, unknown>> =>
    (await call(sandbox, `${PATH}/search?${query}`)).json
  const all = await search('from_date=01/03/26&to_date=2026-03-31T00:00:00')
  expect(all).toMatchObject({ from_date: '01/03/26', to_date: '2026-03-31T00:00:00', page: 1, size: 20 })
  expect(all).toMatchObject({ next_page: null, total_page: 1, total_count: 3 })
  expect((all['records'] as Record<string, unknown>[]).map(({ id }) => id)).toEqual(ids)
  const first = await search('from_date=01/03/26&to_date=31/03/26&page=1&size=2')
  expect(first).toMatchObject({
    next_page: 2,
    total_page: 2,
    total_count: 3,
    records: [{ id: ids[0] }, { id: ids[1] }],
  })
  const second = await search('from_date=01/03/26&to_date=31/03/26&page=2&size=2')
  expect(second).toMatchObject({ next_page: null, records: [{ id: ids[2], status: 'created' }] })
  expect(await search('from_date=01/03/26&to_date=01/03/26')).toMatchObject({ records: [{ id: ids[2] }] })
})

test('a callback that is not answered 200 is tried again after 15, 30 and 45 minutes', async () => {
  const { sandbox, receiver } = await begin()
  receiver.answer(401)
  await sandbox.clock.advance(5000)
  await sandbox.clock.advance(60 * MINUTE_MS)
  expect(receiver.statuses()).toEqual(['active', 'active', 'active', 'active'])
  expect(new Set(receiver.received.map(({ body }) => body.toString())).size).toBe(1)
  expect(sandbox.control.webhooks()).toMatchObject([{ subject: 'agreement-1', outcome: 'given_up' }])
})

test('the control endpoint sets any status, by either id, told or silent', async () => {
  const { sandbox, receiver, id } = await begin()
  const told = await control(sandbox, `/agreements/${id}/status`, { status: 'suspended' })
  expect(told).toMatchObject({ status: 200, json: { paymentAgreementId: `agreement-${id}`, status: 'suspended' } })
  await control(sandbox, `/agreements/agreement-${id}/status`, { status: 'cancelled', silent: true })
  await sandbox.clock.advance(MINUTE_MS)
  expect(receiver.statuses()).toEqual(['suspended'])
  const { json } = await control(sandbox, '/state')
  expect(json['agreements']).toMatchObject([
    { id, status: 'cancelled', history: [{ status: 'created' }, { status: 'suspended' }, { silent: true }] },
  ])
  expect(JSON.stringify(json)).not.toMatch(/Ada|12345678|Bearer/)
})

test('duplicate, late, forged and reordered callbacks', async () => {
  const { sandbox, receiver, id } = await begin()
  const fault = async (body: object): Promise<unknown> =>
    (await control(sandbox, `/agreements/${id}/deliveries`, body)).json['deliveries']
  expect((await control(sandbox, `/agreements/${id}/deliveries`, { kind: 'duplicate' })).status).toBe(409)
  await sandbox.control.setAgreementStatus(id, 'active')
  await sandbox.control.setAgreementStatus(id, 'suspended')
  expect(await fault({ kind: 'duplicate', count: 2 })).toMatchObject([{ status: 200 }, { status: 200 }])
  await fault({ kind: 'late' })
  await fault({ kind: 'late', status: 'created' })
  expect(receiver.statuses()).toEqual(['active', 'suspended', 'suspended', 'suspended', 'active', 'created'])
  expect(receiver.received[2]?.body.equals(receiver.received[1]?.body ?? Buffer.alloc(0))).toBe(true)
  expect(sandbox.control.state().agreements[0]?.status).toBe('suspended')

  receiver.received.length = 0
  await fault({ kind: 'forged' })
  expect(receiver.received[0]?.headers.authorization).not.toBe('Bearer of-this-one')
  receiver.received.length = 0
  await fault({ kind: 'reordered' })
  await sandbox.control.setAgreementStatus(id, 'active')
  await sandbox.control.setAgreementStatus(id, 'cancelled')
  expect(receiver.statuses()).toEqual(['cancelled', 'active'])
})

test.each<[string, unknown, number]>([
  ['/agreements/77/status', { status: 'active' }, 404],
  ['/agreements/77/deliveries', { kind: 'duplicate' }, 404],
  ['/agreements/1/status', { status: 'received' }, 422],
  ['/agreements/1/deliveries', { kind: 'late', status: 'received' }, 422],
])('the control call %s with %j is refused', async (path, body, status) => {
  const { sandbox } = await begin()
  expect((await control(sandbox, path, body)).status).toBe(status)
})
