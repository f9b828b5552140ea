import { expect, test } from 'vitest'
import { create, v1PayoutBody } from './bodies.ts'
import { call, sandboxFor, startReceiver } from './support.ts'

type Json = Record<string, unknown>

const BY_HAND = { paceMs: 60_000 }
const TO = 'payout_transaction_details'
const PAYEE = { payee: 'Ada Payee', email: 'ada@example.test', amount: 100, payid: 'ada@example.test' }
const to = (over: Json): Json => v1PayoutBody({ [TO]: [PAYEE, { ...PAYEE, ...over }] })
const account = (over: Json): Json => to({ payid: undefined, bsb: '062-000', account_number: '1', ...over })

test('a v1 payout has a number, by which it is read, and what came back of it', async () => {
  const sandbox = await sandboxFor(BY_HAND)
  const receiver = await startReceiver()
  const webhook_notification = { endpoint_url: receiver.url, authorization_header: 'Bearer of-this-batch' }
  const payees = [PAYEE, { ...PAYEE, amount: 777.03 }]
  const made = await create(sandbox, '/v1/payouts', v1PayoutBody({ webhook_notification, [TO]: payees }), 'aud')
  const { id, uuid } = made as { id: number; uuid: string }
  expect(made).toMatchObject({ status: 'created', currency: 'AUD', total_refund: '0', total_failed_transactions: 0 })
  expect(made['payout_transactions']).toMatchObject([{ payee: 'Ada Payee', payid: 'ada@example.test' }, {}])
  expect(made).not.toHaveProperty('payout_method_name')
  await sandbox.control.setPayoutStatus(uuid, 'completed')
  const done = { id, status: 'completed', total_refund: '777.03', total_failed_transactions: 1 }
  expect((await call(sandbox, `/v1/payouts/detail?id=${id}&uuid=${uuid}`)).json).toMatchObject(done)
  expect(receiver.received.map(({ json }) => json)).toMatchObject([done])
  expect((await call(sandbox, `/v1/payouts/detail?id=${id}&uuid=ANOTHER1`)).status).toBe(422)
  expect((await call(sandbox, `/v1/payouts/detail?id=${id}`, { site: 'php' })).status).toBe(422)
  expect((await call(sandbox, `/v1/payouts/detail?uuid=${uuid}`)).json).toEqual({ errors: { id: "can't be blank" } })
  expect((await call(sandbox, `/v2/payouts/detail?uuid=${uuid}`)).status).toBe(422)
})

test.each<[string, Json, string]>([
  ['no payees', v1PayoutBody({ [TO]: [] }), TO],
  ['a name with another character', to({ payee: 'Ada & Co' }), `${TO}.1.payee`],
  ['a PayID and an account', to({ bsb: '062-000', account_number: '1' }), `${TO}.1.payid`],
  ['a PayID in capitals', to({ payid: 'Ada@example.test' }), `${TO}.1.payid`],
  ['a phone number without its hyphen', to({ payid: '+61412345678' }), `${TO}.1.payid`],
  ['a BSB of five digits', account({ bsb: '62000' }), `${TO}.1.bsb`],
  ['a description of 141', v1PayoutBody({ description: 'x'.repeat(141) }), 'description'],
])('%s is answered 422 under the name of the field, and nothing is made', async (_name, body, field) => {
  const sandbox = await sandboxFor(BY_HAND)
  const { status, json } = await call(sandbox, '/v1/payouts', { body })
  expect({ status, fields: Object.keys(json['errors'] as Json) }).toEqual({ status: 422, fields: [field] })
  expect(sandbox.control.state().counters.payouts).toBe(0)
})

test('another site than of AUD has no v1 payouts', async () => {
  const sandbox = await sandboxFor(BY_HAND)
  const { status, json } = await call(sandbox, '/v1/payouts', { site: 'php', body: v1PayoutBody() })
  expect({ status, json }).toMatchObject({ status: 422, json: { errors: { currency: expect.any(String) as string } } })
})

test.each([
  [true, 'scheduled'],
  [false, 'expired'],
])('without funds, a batch with is_retry %s is then %s', async (is_retry, status) => {
  const sandbox = await sandboxFor(BY_HAND)
  const payees = [{ ...PAYEE, amount: 777.01 }]
  const { id } = await create(sandbox, '/v1/payouts', v1PayoutBody({ is_retry, [TO]: payees }), 'aud')
  await sandbox.control.advance(BY_HAND.paceMs / 1000)
  expect((await call(sandbox, `/v1/payouts/detail?id=${String(id)}`)).json).toMatchObject({ status })
})

/** Returns a form with a file of payees, as a body and its headers. */
async function form(
  file: string,
  fields: Record<string, string> = {},
): Promise<{ body: string; headers: Record<string, string> }> {
  const data = new FormData()
  const all = {
    description: 'Refunds of the week',
    'webhook_notification[endpoint_url]': 'https://shop.example.test/p',
    'webhook_notification[authorization_header]': 'Bearer p',
    ...fields,
  }
  for (const [name, value] of Object.entries(all)) data.set(name, value)
  data.set('file', new Blob([file], { type: 'text/csv' }), 'payees.csv')
  const response = new Response(data)
  return { body: await response.text(), headers: { 'content-type': response.headers.get('content-type') ?? '' } }
}

test('a file is a batch of its lines', async () => {
  const sandbox = await sandboxFor(BY_HAND)
  const file = 'payee,email,amount,payid,bsb,account_number\nAda,a@b.test,1.50,a@b.test,,\nJoan,j@b.test,2,,062-000,1\n'
  const sent = await form(file, { is_retry: 'true', external_id: 'batch-7' })
  const { status, json } = await call(sandbox, '/v1/payouts', sent)
  expect({ status, json }).toMatchObject({
    status: 200,
    json: {
      total_amount: '3.5',
      is_retry: true,
      external_id: 'batch-7',
      payout_transactions: [
        { payee: 'Ada', payid: 'a@b.test' },
        { payee: 'Joan', bsb: '062-000' },
      ],
    },
  })
})

test('a file with a wrong line makes nothing', async () => {
  const sandbox = await sandboxFor(BY_HAND)
  const odd = await call(sandbox, '/v1/payouts', await form('payee,email,amount\nAda,a@b.test,1\n'))
  expect(odd).toMatchObject({ status: 422, json: { errors: { [`${TO}.0.bsb`]: "can't be blank" } } })
  for (const file of ['', 'payee,"email'])
    expect((await call(sandbox, '/v1/payouts', await form(file))).status).toBe(400)
  expect(sandbox.control.state().counters.payouts).toBe(0)
})
