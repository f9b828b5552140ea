import { DEFAULT_SITES, startSandbox } from 'payments-subgraph-sandbox'
import { afterAll, expect, test } from 'vitest'
import { payinBody } from './bodies.ts'
import { call, sandboxFor } from './support.ts'

const USDC = { id: 'usdc', appId: 'sandbox-usdc', secretKey: 'sandbox-secret-usdc', currencies: ['USDC'] }
const TWO = { id: 'two', appId: 'sandbox-two', secretKey: 'sandbox-secret-two', currencies: ['PHP', 'KRW'] }
// The tables share one sandbox, because their payins do not affect each other.
const sandbox = await startSandbox({ sites: [...DEFAULT_SITES, USDC, TWO] })
afterAll(() => sandbox.close())

type Json = Record<string, unknown>

const JPY_PARAMS = { user_id: 'u7', user_name: 'ada', first_name: 'エイダ', last_name: 'ﾍﾟｲﾔｰ' }
const jpyBody = (params: Json = {}): Json =>
  payinBody({
    currency: 'JPY',
    amount: 5000,
    payin_method_name: 'jp_bank_jpy',
    payin_method_params: { ...JPY_PARAMS, ...params },
  })
const notify = (over: Json): Json => payinBody({ webhook_notification: { endpoint_url: 'https://a.test', ...over } })
test.each<[string, string, Json, string]>([
  ['a currency of another site', 'php', payinBody({ currency: 'AUD' }), 'currency'],
  ['gst for another currency than AUD', 'php', payinBody({ gst: true }), 'gst'],
  ['an amount below the minimum', 'php', payinBody({ amount: 99.99 }), 'amount'],
  ['an email of another shape', 'php', payinBody({ email: 'ada' }), 'email'],
  ['a method of another site', 'php', payinBody({ payin_method_name: 'kr_bank_krw' }), 'payin_method_name'],
  ['a name without katakana', 'jpy', jpyBody({ first_name: 'Ada' }), 'payin_method_params.first_name'],
  ['an endpoint that is no URL', 'php', notify({ endpoint_url: 'x' }), 'webhook_notification.endpoint_url'],
  ['an expiry in the past', 'php', payinBody({ expired_at: '2020-01-01T00:00:00.000+0000' }), 'expired_at'],
])('%s is answered 422 under the name of the field', async (_name, site, body, field) => {
  const before = sandbox.control.state().counters.payins
  const { status, json } = await call(sandbox, '/v2/payins', { site, body })
  expect(status).toBe(422)
  expect(json).toEqual({ errors: { [field]: expect.stringMatching(/\w/) as string } })
  expect(sandbox.control.state().counters.payins).toBe(before)
})

test('expired_at is kept, must be 15 minutes ahead, and is an hour ahead when absent', async () => {
  const timed = await sandboxFor({ startAt: new Date('2026-03-01T10:00:00Z') })
  const expiry = async (expired_at?: string): Promise<unknown> =>
    (await call(timed, '/v2/payins', { site: 'php', body: payinBody({ expired_at }) })).json['expired_at']
  expect(await expiry('2026-03-01T12:00:00.000+0000')).toBe('2026-03-01T12:00:00.000+0000')
  expect(await expiry('2026-03-01T12:00:00')).toBe('2026-03-01T12:00:00.000+0000')
  expect(await expiry('2026-03-01T10:14:59Z')).toBe(undefined)
  expect(await expiry()).toMatch(/^2026-03-01T11:00:\d\d/)
})
