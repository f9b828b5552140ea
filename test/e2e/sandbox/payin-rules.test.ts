import { DEFAULT_SITES, startSandbox } from 'payments-subgraph-sandbox'
import { afterAll, expect, test } from 'vitest'
import { aliasBody, payinBody } from './bodies.ts'
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
const mobileBody = (params: Json): Json =>
  payinBody({ currency: 'KES', payin_method_name: 'ke_mobile_money_kes', payin_method_params: params })
const notify = (over: Json): Json => payinBody({ webhook_notification: { endpoint_url: 'https://a.test', ...over } })
const vietBody = (transliterate: unknown): Json =>
  payinBody({
    currency: 'VND',
    amount: 20_000,
    payin_method_name: 'vn_vietqr_vnd',
    payin_method_params: { transliterate },
  })

test.each<[string, string, Json, string]>([
  ['no currency', 'php', payinBody({ currency: undefined }), 'currency'],
  ['a currency of another site', 'php', payinBody({ currency: 'AUD' }), 'currency'],
  ['gst for another currency than AUD', 'php', payinBody({ gst: true }), 'gst'],
  ['an amount of zero', 'php', payinBody({ amount: 0 }), 'amount'],
  ['an amount below the minimum', 'php', payinBody({ amount: 99.99 }), 'amount'],
  ['an amount above the maximum', 'php', payinBody({ amount: 50_000.01 }), 'amount'],
  ['an email of another shape', 'php', payinBody({ email: 'ada' }), 'email'],
  ['a method of another site', 'php', payinBody({ payin_method_name: 'kr_bank_krw' }), 'payin_method_name'],
  [
    'a method of another currency',
    'two',
    payinBody({ amount: 20_000, payin_method_name: 'kr_bank_krw', payin_method_params: { user_name: 'a' } }),
    'payin_method_name',
  ],
  ['a name without katakana', 'jpy', jpyBody({ first_name: 'Ada' }), 'payin_method_params.first_name'],
  ['a mobile number without its country', 'kes', mobileBody({ phone: '0712345678' }), 'payin_method_params.phone'],
  ['an endpoint that is no URL', 'php', notify({ endpoint_url: 'x' }), 'webhook_notification.endpoint_url'],
  ['an unusable header', 'php', notify({ authorization_header: 'a\nb' }), 'webhook_notification.authorization_header'],
  ['an expiry that is no date', 'php', payinBody({ expired_at: 'tomorrow' }), 'expired_at'],
  ['an expiry on a day that is none', 'php', payinBody({ expired_at: '2099-02-31T00:00:00' }), 'expired_at'],
  ['an expiry in the past', 'php', payinBody({ expired_at: '2020-01-01T00:00:00.000+0000' }), 'expired_at'],
])('%s is answered 422 under the name of the field', async (_name, site, body, field) => {
  const before = sandbox.control.state().counters.payins
  const { status, json } = await call(sandbox, '/v2/payins', { site, body })
  expect(status).toBe(422)
  expect(json).toEqual({ errors: { [field]: expect.stringMatching(/\w/) as string } })
  expect(sandbox.control.state().counters.payins).toBe(before)
})

test.each<[string, string, Json]>([
  ['gst for AUD', 'aud', aliasBody({ gst: true })],
  ['the minimum', 'php', payinBody({ amount: 100 })],
  ['the maximum', 'php', payinBody({ amount: 50_000 })],
  ['katakana of both widths', 'jpy', jpyBody()],
  ['a mobile number', 'kes', mobileBody({ phone: '+254712345678' })],
  ['a boolean param', 'vnd', vietBody(true)],
  ['params that nobody knows', 'php', payinBody({ payin_method_params: { else: 1 } })],
  [
    'an open amount',
    'usdc',
    payinBody({ currency: 'USDC', payin_method_name: 'usdc_bank', payin_method_params: {}, amount: undefined }),
  ],
])('%s is accepted', async (_name, site, body) => {
  expect((await call(sandbox, '/v2/payins', { site, body })).status).toBe(200)
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
