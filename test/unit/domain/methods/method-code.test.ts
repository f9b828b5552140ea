import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseMethodCode } from '../../../../src/domain/methods/payin-method.ts'

/** All known codes of the payments API, as `code country kind kindRaw provider currency`. */
const KNOWN = `
au_card_aud              AU CARD          card         -         AUD
au_alias_npp_aud         AU ALIAS         alias        npp       AUD
au_payid_npp_aud         AU ALIAS         payid        npp       AUD
nz_card_nzd              NZ CARD          card         -         NZD
hk_card_hkd              HK CARD          card         -         HKD
jp_bank_jpy              JP BANK_TRANSFER bank         -         JPY
jp_card_jpy              JP CARD          card         -         JPY
us_card_usd              US CARD          card         -         USD
kh_khqr_usd              KH QR            khqr         khqr      USD
kr_bank_krw              KR BANK_TRANSFER bank         -         KRW
in_upi_inr               IN UPI           upi          -         INR
my_bank_fpx_myr          MY BANK_TRANSFER bank         fpx       MYR
my_bank_duitnow_myr      MY BANK_TRANSFER bank         duitnow   MYR
my_bank_myr              MY BANK_TRANSFER bank         -         MYR
my_ewallet_touchngo_myr  MY EWALLET       ewallet      touchngo  MYR
my_ewallet_boost_myr     MY EWALLET       ewallet      boost     MYR
my_ewallet_shopee_myr    MY EWALLET       ewallet      shopee    MYR
my_ewallet_shopeepay_myr MY EWALLET       ewallet      shopeepay MYR
my_ewallet_grabpay_myr   MY EWALLET       ewallet      grabpay   MYR
my_ewallet_finexus_myr   MY EWALLET       ewallet      finexus   MYR
ph_bank_php              PH BANK_TRANSFER bank         -         PHP
ph_bank_maya_php         PH BANK_TRANSFER bank         maya      PHP
ph_ewallet_gcash_php     PH EWALLET       ewallet      gcash     PHP
ph_qrph_php              PH QR            qrph         qrph      PHP
id_bank_qris_idr         ID QR            bank         qris      IDR
id_bank_idr              ID BANK_TRANSFER bank         -         IDR
id_ewallet_dana_idr      ID EWALLET       ewallet      dana      IDR
vn_vietqr_vnd            VN QR            vietqr       vietqr    VND
vn_other_vietqr_vnd      VN QR            other_vietqr vietqr    VND
vn_ewallet_momo_vnd      VN EWALLET       ewallet      momo      VND
vn_bank_vnd              VN BANK_TRANSFER bank         -         VND
th_qrpay_thb             TH QR            qrpay        qrpay     THB
th_bank_thb              TH BANK_TRANSFER bank         -         THB
ca_interac_cad           CA INTERAC       interac      -         CAD
br_pix_brl               BR PIX           pix          -         BRL
br_bank_brl              BR BANK_TRANSFER bank         -         BRL
ar_bank_ars              AR BANK_TRANSFER bank         -         ARS
sa_eft_zar               ZA EFT           eft          -         ZAR
sa_bank_zar              ZA BANK_TRANSFER bank         -         ZAR
ng_bank_ngn              NG BANK_TRANSFER bank         -         NGN
ke_mobile_money_kes      KE MOBILE_MONEY  mobile_money -         KES
ke_bank_kes              KE BANK_TRANSFER bank         -         KES
gh_mobile_money_ghs      GH MOBILE_MONEY  mobile_money -         GHS
mw_mobile_money_mwk      MW MOBILE_MONEY  mobile_money -         MWK
mw_bank_mwk              MW BANK_TRANSFER bank         -         MWK
bw_bank_bwp              BW BANK_TRANSFER bank         -         BWP
bw_mobile_money_bwp      BW MOBILE_MONEY  mobile_money -         BWP
cm_mobile_money_xaf      CM MOBILE_MONEY  mobile_money -         XAF
ci_mobile_money_xof      CI MOBILE_MONEY  mobile_money -         XOF`

describe('parseMethodCode', () => {
  it.each(
    KNOWN.trim()
      .split('\n')
      .map((line) => line.split(/ +/)),
  )('reads %s as a method of %s, kind %s (%s) by %s, in %s', (code, ...expected) => {
    const [countryCode, kind, kindRaw, named, currency] = expected
    const provider = named === '-' ? null : named
    expect(parseMethodCode(code ?? '')).toEqual({ code, countryCode, kind, kindRaw, provider, currency })
  })

  it('reads a code of the usual shape that it has not met', () => {
    expect(parseMethodCode('us_wallet_usdc')).toMatchObject({ kind: 'OTHER', kindRaw: 'wallet', currency: 'USDC' })
    expect(parseMethodCode('tz_cardless_tzs')).toMatchObject({ kind: 'OTHER', kindRaw: 'cardless', countryCode: 'TZ' })
  })

  it.each([
    ...'usdc_bank card other _ au_aud au__aud AU_CARD_AUD aus_card_aud au_card_au au_card_audxx au-card-aud au_cärd_aud __proto___x_aud'.split(
      ' ',
    ),
    '',
    'au_card_aud\n',
    ' au_card_aud',
  ])('reads nothing into %j', (code) => {
    expect(parseMethodCode(code)).toEqual({
      code,
      countryCode: null,
      kind: 'OTHER',
      kindRaw: code,
      provider: null,
      currency: null,
    })
  })

  it('reads any text without failing, and keeps it', () => {
    const shaped = fc
      .tuple(fc.string(), fc.string(), fc.string())
      .map(([country, middle, currency]) => `${country}_${middle}_${currency}`)
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'grapheme' }), shaped), (code) => {
        const read = parseMethodCode(code)
        expect(read.code).toBe(code)
        expect(read.countryCode ?? 'AU').toMatch(/^[A-Z]{2}$/)
        expect(read.currency ?? 'AUD').toMatch(/^[A-Z]{3,4}$/)
      }),
    )
  })
})
