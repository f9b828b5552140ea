import { DEFAULT_SITES } from 'payments-subgraph-sandbox'
import { expect, test } from 'vitest'
import { call, sandboxFor } from '../support.ts'

const NOT_AUTHORISED = { errors: { code: 'REQUIRE_LOGIN', message: 'Not Authorised' } }

type Entry = Record<string, unknown> & { payin_method_code: string; min_amount: number; max_amount: number }

test('each default site lists the methods of its currency, and all codes are there', async () => {
  const sandbox = await sandboxFor()
  const codes: string[] = []
  for (const { id, currencies } of DEFAULT_SITES) {
    const { status, json } = await call(sandbox, '/v3/payin_methods', { site: id })
    const records = json['records'] as Entry[]
    expect(status).toBe(200)
    for (const entry of records) {
      expect(entry['currency']).toBe(currencies[0])
      expect(entry.payin_method_code).toMatch(new RegExp(`_${id}$`))
      expect(entry.max_amount).toBeGreaterThan(entry.min_amount)
      expect(Array.isArray(entry['checkout_languages']) && Array.isArray(entry['supported_card_brands'])).toBe(true)
      codes.push(entry.payin_method_code)
    }
  }
  expect(new Set(codes).size).toBe(codes.length)
  expect(codes.sort()).toEqual(CODES)
})

test('documented limits hold', async () => {
  const sandbox = await sandboxFor()
  const limits = async (site: string, code: string): Promise<Entry | undefined> => {
    const { json } = await call(sandbox, '/v3/payin_methods', { site })
    return (json['records'] as Entry[]).find((entry) => entry.payin_method_code === code)
  }
  expect((await limits('nzd', 'nz_card_nzd'))?.max_amount).toBe(10_000)
  expect((await limits('hkd', 'hk_card_hkd'))?.max_amount).toBe(10_000)
  expect((await limits('mwk', 'mw_bank_mwk'))?.min_amount).toBe(2000)
  expect((await limits('mwk', 'mw_mobile_money_mwk'))?.min_amount).toBe(2000)
})

test('a site with several currencies lists them all', async () => {
  const sandbox = await sandboxFor({
    sites: [{ id: 'two', appId: 'sandbox-two', secretKey: 'sandbox-secret-two', currencies: ['NZD', 'HKD'] }],
  })
  const { json } = await call(sandbox, '/v3/payin_methods', { site: 'two' })
  expect((json['records'] as Entry[]).map((entry) => entry.payin_method_code)).toEqual(['nz_card_nzd', 'hk_card_hkd'])
})

test.each<[string, Record<string, string>]>([
  ['an unknown app-id', { 'app-id': 'nobody' }],
  ['a wrong secret-key', { 'secret-key': 'wrong' }],
  ['the secret-key of another site', { 'secret-key': 'sandbox-secret-nzd' }],
  ['empty headers', { 'app-id': '', 'secret-key': '' }],
])('%s is answered 401, on unknown paths too', async (_name, headers) => {
  const sandbox = await sandboxFor()
  for (const path of ['/v3/payin_methods', '/v3/payin_links', '/v9/nothing']) {
    const { status, json } = await call(sandbox, path, { headers })
    expect(status).toBe(401)
    expect(json).toEqual(NOT_AUTHORISED)
  }
})

test('without the header pair the answer is 401', async () => {
  const sandbox = await sandboxFor()
  expect((await fetch(`${sandbox.url}/v3/payin_methods`)).status).toBe(401)
})

test('an unknown path or method is answered 404 with a message', async () => {
  const sandbox = await sandboxFor()
  for (const [method, path] of [['GET', '/v9/nothing'] as const, ['DELETE', '/v3/payin_methods'] as const]) {
    const { status, json } = await call(sandbox, path, { method })
    expect(status).toBe(404)
    expect(json).toEqual({ errors: { message: expect.any(String) as string } })
  }
})

const CODES = [
  'au_alias_npp_aud',
  'au_card_aud',
  'br_pix_brl',
  'bw_bank_bwp',
  'bw_mobile_money_bwp',
  'ca_interac_cad',
  'ci_mobile_money_xof',
  'cm_mobile_money_xaf',
  'gh_mobile_money_ghs',
  'hk_card_hkd',
  'id_bank_qris_idr',
  'id_ewallet_dana_idr',
  'in_upi_inr',
  'jp_bank_jpy',
  'jp_card_jpy',
  'ke_mobile_money_kes',
  'kh_khqr_usd',
  'kr_bank_krw',
  'mw_bank_mwk',
  'mw_mobile_money_mwk',
  'my_bank_duitnow_myr',
  'my_bank_fpx_myr',
  'my_ewallet_boost_myr',
  'my_ewallet_grabpay_myr',
  'my_ewallet_shopee_myr',
  'my_ewallet_touchngo_myr',
  'ng_bank_ngn',
  'nz_card_nzd',
  'ph_bank_maya_php',
  'ph_bank_php',
  'ph_ewallet_gcash_php',
  'ph_qrph_php',
  'sa_eft_zar',
  'th_qrpay_thb',
  'us_card_usd',
  'vn_ewallet_momo_vnd',
  'vn_other_vietqr_vnd',
  'vn_vietqr_vnd',
]
