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
  ['an empty list of payees', 'php', payoutBody({ [TO]: [] }), TO],
  ['one payee instead of a list', 'php', payoutBody({ [TO]: payee() }), TO],
  ['a payee of another type', 'php', payoutBody({ [TO]: [payee(), 'Ada'] }), TO],
  ['no first name', 'php', to({ first_name: undefined }), `${TO}.1.first_name`],
  ['a first name that begins with a space', 'php', to({ first_name: ' Ada' }), `${TO}.1.first_name`],
  ['a last name that ends with a space', 'php', to({ last_name: 'Payee ' }), `${TO}.1.last_name`],
  ['a last name with an apostrophe', 'php', to({ last_name: "O'Brien" }), `${TO}.1.last_name`],
  ['no email', 'php', to({ email: undefined }), `${TO}.1.email`],
  ['an email of another shape', 'php', to({ email: 'ada' }), `${TO}.1.email`],
  ['no amount', 'php', to({ amount: undefined }), `${TO}.1.amount`],
  ['amount as a text', 'php', to({ amount: '500' }), `${TO}.1.amount`],
  ['an amount below the minimum', 'php', to({ amount: 199.99 }), `${TO}.1.amount`],
  ['an amount above the maximum', 'php', to({ amount: 50_000.01 }), `${TO}.1.amount`],
  ['external_id of another type', 'php', to({ external_id: 7 }), `${TO}.1.external_id`],
  ['no params', 'php', to({ payout_method_params: undefined }), `${TO}.1.payout_method_params`],
  ['no account number', 'php', toAccount({ account_number: '' }), `${TO}.1.payout_method_params.account_number`],
  ['no bank', 'php', toAccount({ bank_code: undefined }), `${TO}.1.payout_method_params.bank_code`],
  ['an unknown bank', 'php', toAccount({ bank_code: '999' }), `${TO}.1.payout_method_params.bank_code`],
  ['a param of another type', 'php', toAccount({ account_name: true }), `${TO}.1.payout_method_params.account_name`],
  ['a mobile number without its country', 'kes', mobile('0712345678'), `${TO}.0.payout_method_params.account_number`],
  ['a bsb of five digits', 'aud', australian('06200'), `${TO}.0.payout_method_params.bsb`],
  ['no currency', 'php', payoutBody({ currency: undefined }), 'currency'],
  ['a currency of another site', 'php', payoutBody({ currency: 'AUD' }), 'currency'],
  ['no method', 'php', payoutBody({ payout_method_name: undefined }), 'payout_method_name'],
  ['a method of another site', 'php', payoutBody({ payout_method_name: 'kr_bank_krw' }), 'payout_method_name'],
  ['no description', 'php', payoutBody({ description: undefined }), 'description'],
  ['a description of 4', 'php', payoutBody({ description: 'Wage' }), 'description'],
  ['a description of 91', 'php', payoutBody({ description: 'x'.repeat(91) }), 'description'],
  ['batch external_id of another type', 'php', payoutBody({ external_id: 7 }), 'external_id'],
  ['a schedule that is no date', 'php', payoutBody({ scheduled_at: 'tomorrow' }), 'scheduled_at'],
  ['a schedule in the past', 'php', payoutBody({ scheduled_at: '2023-04-01T00:00:00' }), 'scheduled_at'],
  ['no notification', 'php', payoutBody({ webhook_notification: undefined }), 'webhook_notification'],
  ['no endpoint', 'php', notify({ endpoint_url: undefined }), 'webhook_notification.endpoint_url'],
  ['an endpoint that is no URL', 'php', notify({ endpoint_url: 'x' }), 'webhook_notification.endpoint_url'],
  ['no header', 'php', notify({ authorization_header: undefined }), 'webhook_notification.authorization_header'],
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

test('a text that is no JSON is answered 400 without a body', async () => {
  for (const path of ['/v2/payouts', '/v2/payouts/cancel_scheduled'])
    expect(await call(sandbox, path, { body: '{' })).toMatchObject({ status: 400, text: '' })
})

test('every listed method has its record, with banks where it asks for one', async () => {
  const codes: unknown[] = []
  for (const { id } of DEFAULT_SITES) {
    const { json } = await call(sandbox, '/v2/payouts/payout_methods', { site: id })
    for (const entry of json['records'] as Json[]) {
      expect(Object.keys(entry)).toEqual(['currency', 'payout_method_name'])
      const path = `/v2/payouts/payout_method/params?payout_method_name=${String(entry['payout_method_name'])}`
      const { record } = (await call(sandbox, path, { site: id })).json as { record: Json }
      expect(record).toMatchObject({ ...entry, payment_type: 'pay_out', currency: id.toUpperCase() })
      const params = record['payout_method_params'] as Json
      expect(params['account_number']).toMatch(/^string:Mandatory /)
      const banks = record['banks'] as Json[]
      expect(banks.length > 0).toBe('bank_code' in params)
      for (const bank of banks) expect(Object.keys(bank)).toEqual(['code', 'name', 'short_name'])
      expect(record['max_amount']).toBeGreaterThan(Number(record['min_amount']))
      codes.push(entry['payout_method_name'])
    }
  }
  expect(codes).toEqual(expect.arrayContaining(DOCUMENTED))
})

const DOCUMENTED = [
  'kr_bank_krw',
  'vn_bank_vnd',
  'ph_bank_php',
  'ph_bank_maya_php',
  'ph_ewallet_gcash_php',
  'id_bank_idr',
  'ng_bank_ngn',
  'sa_bank_zar',
  'ke_bank_kes',
  'my_bank_myr',
  'br_bank_brl',
  'th_bank_thb',
  'ke_mobile_money_kes',
  'gh_mobile_money_ghs',
  'cm_mobile_money_xaf',
  'ci_mobile_money_xof',
]

test.each(['', '?payout_method_name=kr_bank_krw'])('params%s are answered 422', async (query) => {
  const answer = await call(sandbox, `/v2/payouts/payout_method/params${query}`, { site: 'php' })
  expect(answer.status).toBe(422)
  expect(Object.keys(answer.json['errors'] as Json)).toEqual(['payout_method_name'])
})

test.each<[string, string]>([
  ['', 'from_date'],
  ['from_date=01/01/26&to_date=01/02/26', 'page'],
  ['from_date=01/01/26&page=1', 'to_date'],
  ['to_date=01/01/26&page=1', 'from_date'],
  ['from_date=01/01/26&to_date=01/02/26&page=0', 'page'],
  ['from_date=01/13/26&to_date=01/02/26&page=1', 'from_date'],
  ['from_date=02/01/26&to_date=01/01/26&page=1', 'to_date'],
  ['from_date=01/01/25&to_date=03/01/26&page=1', 'to_date'],
])('the list query %j is answered 422 under the name of the field', async (query, field) => {
  const { status, json } = await call(sandbox, `/v2/payouts/all?${query}`)
  expect(status).toBe(422)
  expect(json['errors']).toMatchObject({ [field]: expect.any(String) as string })
})

test.each(['', '?uuid=NOTHING1'])('the detail%s is answered 422', async (query) => {
  const { status, json } = await call(sandbox, `/v2/payouts/detail${query}`)
  expect(status).toBe(422)
  expect(Object.keys(json['errors'] as Json)).toEqual(['uuid'])
})
