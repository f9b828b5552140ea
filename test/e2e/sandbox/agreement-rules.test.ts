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
  ['a client_transaction_id of 91', { client_transaction_id: 'x'.repeat(91) }, 'client_transaction_id'],
  ['a limit of zero', { limit_amount: 0 }, 'limit_amount'],
  ['a description of 4', { description: 'Rent' }, 'description'],
  ['a description of 141', { description: 'x'.repeat(141) }, 'description'],
  ['an unknown type', { payment_agreement_type: 'RENT' }, 'payment_agreement_type'],
  ['a type as the answer spells it', { payment_agreement_type: 'OTHER SERVICE' }, 'payment_agreement_type'],
  ['details without a wrapper', { agreement_details: {} }, 'agreement_details'],
  ['an unknown wrapper', { agreement_details: { agreement_details_obj: {} } }, 'agreement_details'],
  [
    'two wrappers',
    {
      agreement_details: {
        fixed_agreement_details_obj: { start_date: '01/12/26', frequency: 'DAILY' },
        balloon_agreement_details_obj: { start_date: '01/12/26', frequency: 'DAILY' },
      },
    },
    'agreement_details',
  ],
  ['a start date of another form', details({ start_date: '2026-12-01' }), 'start_date'],
  ['a day that its month has not', details({ start_date: '31/02/27' }), 'start_date'],
  ['a leap day of another year', details({ start_date: '29/02/27' }), 'start_date'],
  ['a month that there is not', details({ start_date: '01/13/26' }), 'start_date'],
  ['an unknown frequency', details({ frequency: 'YEARLY' }), 'frequency'],
  ['a payer name with a hyphen', payer({ name: 'Ada-Lovelace' }), 'payer_details.name'],
  ['a payer name that ends with a space', payer({ name: 'Ada ' }), 'payer_details.name'],
  ['neither account nor alias', payer({ bank_account_details: undefined }), 'bank_account_details'],
  ['a bsb of five digits', payer({ bank_account_details: { ...ACCOUNT, bsb: '06200' } }), 'bsb'],
  ['an unknown pay_id_type', payId('ada@example.test', 'MAIL'), 'pay_id_type'],
  ['an email that is none', payId('+61412345678', 'EMAIL'), 'pay_id'],
  ['a phone that is none', payId('ada@example.test', 'PHONE'), 'pay_id'],
  ['an ABN that is none', payId('1234567890', 'ABN'), 'pay_id'],
  ['an endpoint that is no URL', notify({ endpoint_url: 'shop' }), 'endpoint_url'],
  ['an Authorization that no header can carry', notify({ authorization_header: 'a\nb' }), 'authorization_header'],
  ['an external_id of 256', { external_id: 'x'.repeat(256) }, 'external_id'],
])('%s is answered 422 with one message', async (_name, over, named) => {
  const before = sandbox.control.state().counters.agreements
  const body = agreementBody({ client_transaction_id: unused(), ...over })
  const { status, json } = await call(sandbox, PATH, { body })
  expect(status).toBe(422)
  expect(json).toEqual({ errors: { message: expect.stringContaining(named) as string } })
  expect(sandbox.control.state().counters.agreements).toBe(before)
})

test.each<[string, Record<string, unknown>]>([
  ['lengths at their upper ends', { description: 'x'.repeat(140), external_id: 'x'.repeat(255) }],
  ['lengths at their lower ends', { description: 'Rents', external_id: '' }],
  ['a client_transaction_id of 90', { client_transaction_id: 'x'.repeat(90) }],
  ['a client_transaction_id of 1', { client_transaction_id: 'x' }],
  ['lengths in characters, not bytes', { description: '💶'.repeat(140) }],
  ['account and alias', payer({ pay_id_details: { pay_id: 'ada@example.test', pay_id_type: 'EMAIL' } })],
  ['an alias by phone alone', payId('+61-412345678', 'PHONE')],
  ['an alias by ABN alone', payId('51 824 753 556', 'ABN')],
  ['null for what may be absent', { external_id: null }],
])('%s is accepted', async (_name, over) => {
  const body = agreementBody({ client_transaction_id: unused(), ...over })
  expect((await call(sandbox, PATH, { body })).status).toBe(200)
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

test.each(
  ['', 'from_date=01/01/26', 'to_date=01/01/26', 'from_date=x&to_date=01/01/26'].concat(
    ['page=0', 'size=0', 'size=101'].map((more) => `from_date=01/01/26&to_date=01/02/26&${more}`),
    'from_date=02/01/26&to_date=01/01/26',
  ),
)('the search %j is answered 422 with one message', async (query) => {
  const { status, json } = await call(sandbox, `${PATH}/search?${query}`)
  expect(status).toBe(422)
  expect(json).toEqual({ errors: { message: expect.any(String) as string } })
})
