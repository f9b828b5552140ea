import { NO_FLAGS, type PayinMethod } from '../../src/domain/methods/payin-method.ts'

/** Returns a method for links of which the payments API says no more than a code and a currency; `over` replaces parts of it. */
export function payinMethod(over: Partial<PayinMethod> = {}): PayinMethod {
  return {
    code: 'au_card_aud',
    usableFor: ['LINK'],
    name: null,
    currency: 'AUD',
    countryCode: 'AU',
    kind: 'CARD',
    kindRaw: 'card',
    minAmount: null,
    maxAmount: null,
    cardBrands: null,
    checkoutLanguages: null,
    networks: null,
    symbol: null,
    logo: null,
    flags: NO_FLAGS,
    ...over,
  }
}
