import { expect, test } from 'vitest'
import { parseMethodCode, NO_FLAGS, traitsOf } from '../../../../src/domain/methods/payin-method.ts'

const MOBILE_MONEY = [
  'ke_mobile_money_kes',
  'gh_mobile_money_ghs',
  'mw_mobile_money_mwk',
  'bw_mobile_money_bwp',
  'cm_mobile_money_xaf',
  'ci_mobile_money_xof',
]

test.each(MOBILE_MONEY)('%s prompts the handset and cannot be refunded or cancelled', (code) => {
  expect(traitsOf(parseMethodCode(code).kind)).toStrictEqual({
    refundable: false,
    cancellable: false,
    promptsHandset: true,
    confirmsOnPage: true,
    timesOutAsFailed: true,
    requiresContact: null,
    requiresKyc: null,
  })
})

test.each(['au_card_aud', 'jp_bank_jpy', 'au_alias_npp_aud', 'sa_eft_zar', 'my_ewallet_x_myr', 'th_qr_thb', 'other'])(
  'of %s nothing is claimed that the payments API does not say',
  (code) => {
    const { promptsHandset, ...rest } = traitsOf(parseMethodCode(code).kind)
    expect(promptsHandset).toBe(false)
    expect(Object.values(rest).every((trait) => trait === null)).toBe(true)
  },
)

test('what the payments API says of a method outranks what is documented for its kind', () => {
  expect(traitsOf('MOBILE_MONEY', { ...NO_FLAGS, refundable: true, requiresKyc: false })).toMatchObject({
    refundable: true,
    cancellable: false,
    requiresContact: null,
    requiresKyc: false,
  })
})
