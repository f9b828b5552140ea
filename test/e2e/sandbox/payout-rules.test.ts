import { DEFAULT_SITES, startSandbox } from 'payments-subgraph-sandbox'
import { afterAll, expect, test } from 'vitest'
import { payee, payoutBody } from './bodies.ts'
import { call } from './support.ts'

const USDC = { id: 'usdc', appId: 'sandbox-usdc', secretKey: 'sandbox-secret-usdc', currencies: ['USDC'] }
// The tables share one sandbox, because their payouts do not affect each other.
const sandbox = await startSandbox({ sites: [...DEFAULT_SITES, USDC] })
afterAll(() => sandbox.close())

type Json = Record<string, unknown>

const TO = 'payout_transaction_details'
const ACCOUNT = { account_number: '12345678', account_name: 'Ada Payee', bank_code: '600' }
const to = (over: Json): Json => payoutBody({ [TO]: [payee(), payee(over)] })
const toAccount = (over: Json): Json => to({ payout_method_params: { ...ACCOUNT, ...over } })
const notify = (over: Json): Json =>
  payoutBody({ webhook_notification: { endpoint_url: 'https://a.test', authorization_header: 'Bearer a', ...over } })
const mobile = (account_number: string): Json =>
  payoutBody({
    currency: 'KES',
    payout_method_name: 'ke_mobile_money_kes',
    [TO]: [payee({ payout_method_params: { account_number, account_name: 'Ada' } })],
  })
const australian = (bsb: string): Json =>
  payoutBody({
    currency: 'AUD',
    payout_method_name: 'au_bank_aud',
    [TO]: [payee({ payout_method_params: { account_number: '1', account_name: 'Ada', bsb } })],
  })

test.each<[string, string, Json, string]>([
  ['no payees', 'php', payoutBody({ [TO]: undefined }), TO],
  ['one payee instead of a list', 'php', payoutBody({ [TO]: payee() }), TO],
  ['a first name that begins with a space', 'php', to({ first_name: ' Ada' }), `${TO}.1.first_name`],
  ['a last name that ends with a space', 'php', to({ last_name: 'Payee ' }), `${TO}.1.last_name`],
  ['a last name with an apostrophe', 'php', to({ last_name: "O'Brien" }), `${TO}.1.last_name`],
  ['an email of another shape', 'php', to({ email: 'ada' }), `${TO}.1.email`],
  ['an amount below the minimum', 'php', to({ amount: 199.99 }), `${TO}.1.amount`],
  ['an amount above the maximum', 'php', to({ amount: 50_000.01 }), `${TO}.1.amount`],
  ['an unknown bank', 'php', toAccount({ bank_code: '999' }), `${TO}.1.payout_method_params.bank_code`],
  ['a mobile number without its country', 'kes', mobile('0712345678'), `${TO}.0.payout_method_params.account_number`],
  ['a bsb of five digits', 'aud', australian('06200'), `${TO}.0.payout_method_params.bsb`],
  ['a currency of another site', 'php', payoutBody({ currency: 'AUD' }), 'currency'],
  ['a method of another site', 'php', payoutBody({ payout_method_name: 'kr_bank_krw' }), 'payout_method_name'],
  ['a description of 4', 'php', payoutBody({ description: 'Wage' }), 'description'],
  ['a description of 91', 'php', payoutBody({ description: 'x'.repeat(91) }), 'description'],
  ['a schedule that is no date', 'php', payoutBody({ scheduled_at: 'tomorrow' }), 'scheduled_at'],
  ['a schedule in the past', 'php', payoutBody({ scheduled_at: '2023-04-01T00:00:00' }), 'scheduled_at'],
  ['an endpoint that is no URL', 'php', notify({ endpoint_url: 'x' }), 'webhook_notification.endpoint_url'],
])('%s is answered 422 under the name of the field', async (_name, site, body, field) => {
  const before = sandbox.control.state().counters.payouts
  const { status, json } = await call(sandbox, '/v2/payouts', { site, body })
  expect(status).toBe(422)
  expect(json).toEqual({ errors: { [field]: expect.stringMatching(/\w/) as string } })
  expect(sandbox.control.state().counters.payouts).toBe(before)
})

test.each<[string, string, Json]>([
  ['the limits', 'php', payoutBody({ [TO]: [payee({ amount: 200 }), payee({ amount: 50_000 })] })],
  ['lengths at their ends', 'php', payoutBody({ description: 'x'.repeat(90) })],
  ['numbers where a text is asked for', 'php', toAccount({ account_number: 12_345_678, bank_code: 600 })],
  ['a mobile number', 'kes', mobile('+254712345678')],
  ['a bsb with a hyphen', 'aud', australian('062-000')],
  ['names of other scripts', 'php', to({ first_name: 'สมชาย', last_name: 'José 2' })],
  ['null for what may be absent', 'php', payoutBody({ external_id: null, scheduled_at: null })],
  [
    'an open amount',
    'usdc',
    payoutBody({ currency: 'USDC', payout_method_name: 'usdc_bank', [TO]: [payee({ amount: undefined })] }),
  ],
])('%s is accepted', async (_name, site, body) => {
  expect((await call(sandbox, '/v2/payouts', { site, body })).status).toBe(200)
})
