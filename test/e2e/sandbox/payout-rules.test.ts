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

test.each<[string, string, Json, string]>([
  ['no payees', 'php', payoutBody({ [TO]: undefined }), TO],
  ['a last name with an apostrophe', 'php', to({ last_name: "O'Brien" }), `${TO}.1.last_name`],
  ['an amount above the maximum', 'php', to({ amount: 50_000.01 }), `${TO}.1.amount`],
  ['an unknown bank', 'php', toAccount({ bank_code: '999' }), `${TO}.1.payout_method_params.bank_code`],
  ['a currency of another site', 'php', payoutBody({ currency: 'AUD' }), 'currency'],
  ['a method of another site', 'php', payoutBody({ payout_method_name: 'kr_bank_krw' }), 'payout_method_name'],
  ['a description of 91', 'php', payoutBody({ description: 'x'.repeat(91) }), 'description'],
  ['a schedule in the past', 'php', payoutBody({ scheduled_at: '2023-04-01T00:00:00' }), 'scheduled_at'],
  ['an endpoint that is no URL', 'php', notify({ endpoint_url: 'x' }), 'webhook_notification.endpoint_url'],
])('%s is answered 422 under the name of the field', async (_name, site, body, field) => {
  const before = sandbox.control.state().counters.payouts
  const { status, json } = await call(sandbox, '/v2/payouts', { site, body })
  expect(status).toBe(422)
  expect(json).toEqual({ errors: { [field]: expect.stringMatching(/\w/) as string } })
  expect(sandbox.control.state().counters.payouts).toBe(before)
})
