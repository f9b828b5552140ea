import { startSandbox } from 'payments-subgraph-sandbox'
import { afterAll, expect, test } from 'vitest'
import { agreementBody } from './bodies.ts'
import { call } from './support.ts'

// The tables share one sandbox, because their agreements do not affect each other.
const sandbox = await startSandbox()
afterAll(() => sandbox.close())

const PATH = '/v1/pay_to/payment_agreement'
const ACCOUNT = { bsb: '062000', account_number: '12345678' }
const details = (over: Record<string, unknown>): Record<string, unknown> => ({
  agreement_details: { fixed_agreement_details_obj: { start_date: '01/12/26', frequency: 'WEEKLY', ...over } },
})
const payer = (over: Record<string, unknown>): Record<string, unknown> => ({
  payer_details: { name: 'Ada', bank_account_details: ACCOUNT, ...over },
})
const payId = (id: unknown, type: unknown): Record<string, unknown> =>
  payer({ bank_account_details: undefined, pay_id_details: { pay_id: id, pay_id_type: type } })
const notify = (over: Record<string, unknown>): Record<string, unknown> => ({
  payment_agreement_notification: { endpoint_url: 'https://a.test', authorization_header: 'Bearer a', ...over },
})

let taken = 0
const unused = (): string => `unused-${(taken += 1)}`

test.each<[string, Record<string, unknown>, string]>([
  ['no client_transaction_id', { client_transaction_id: undefined }, 'client_transaction_id'],
  ['a limit of zero', { limit_amount: 0 }, 'limit_amount'],
  ['a description of 4', { description: 'Rent' }, 'description'],
  ['an unknown type', { payment_agreement_type: 'RENT' }, 'payment_agreement_type'],
  ['an unknown wrapper', { agreement_details: { agreement_details_obj: {} } }, 'agreement_details'],
  ['a day that its month has not', details({ start_date: '31/02/27' }), 'start_date'],
  ['an unknown frequency', details({ frequency: 'YEARLY' }), 'frequency'],
  ['neither account nor alias', payer({ bank_account_details: undefined }), 'bank_account_details'],
  ['a bsb of five digits', payer({ bank_account_details: { ...ACCOUNT, bsb: '06200' } }), 'bsb'],
  ['a phone that is none', payId('ada@example.test', 'PHONE'), 'pay_id'],
  ['an endpoint that is no URL', notify({ endpoint_url: 'shop' }), 'endpoint_url'],
])('%s is answered 422 with one message', async (_name, over, named) => {
  const before = sandbox.control.state().counters.agreements
  const body = agreementBody({ client_transaction_id: unused(), ...over })
  const { status, json } = await call(sandbox, PATH, { body })
  expect(status).toBe(422)
  expect(json).toEqual({ errors: { message: expect.stringContaining(named) as string } })
  expect(sandbox.control.state().counters.agreements).toBe(before)
})

test.each<[string, string, number]>([
  ['a text that is no JSON', '{', 400],
  ['JSON that is no object', '[]', 400],
])('%s is answered %s without a body', async (_name, body, status) => {
  for (const path of ['', '/amendment', '/change_status']) {
    expect(await call(sandbox, `${PATH}${path}`, { body })).toMatchObject({ status, text: '' })
  }
})

test('a site without AUD has no agreements', async () => {
  const range = '/search?from_date=01/01/26&to_date=01/01/27'
  for (const [path, body] of [['', agreementBody()] as const, [range, undefined] as const]) {
    const { status, json } = await call(sandbox, `${PATH}${path}`, { site: 'jpy', body })
    expect(status).toBe(422)
    expect(json).toEqual({ errors: { message: expect.stringContaining('AUD') as string } })
  }
})
