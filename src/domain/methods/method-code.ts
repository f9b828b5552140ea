/** The way in which the customer pays, derived from a method code. */
export type MethodKind = 'CARD' | 'BANK_TRANSFER' | 'ALIAS' | 'EWALLET' | 'MOBILE_MONEY' | 'QR' | 'EFT' | 'OTHER'

export type MethodCode = {
  readonly code: string
  /** ISO 3166 alpha-2 code; null if the code does not have the usual format. */
  readonly countryCode: string | null
  readonly kind: MethodKind
  /** The kind as spelled in the code, e.g. `mobile_money`; the whole code if it does not have the usual format. */
  readonly kindRaw: string
  /** Upper-case currency code; null if the code does not have the usual format. */
  readonly currency: string | null
}

/** `<country>_<kind>[_<provider>]_<currency>` (docs/payments-api.md, section 2.5). */
const SHAPE = /^([a-z]{2})_([a-z0-9_]+)_([a-z]{3,4})$/

/** In the payments API's codes `sa` means South Africa, whose ISO code is ZA. */
const COUNTRIES_OF_THEIR_OWN: Readonly<Record<string, string>> = { sa: 'ZA' }

/** Words of two parts are listed before their first part, so that `mobile_money` is not matched as `mobile`. */
const KINDS: readonly (readonly [string, MethodKind])[] = [
  ['mobile_money', 'MOBILE_MONEY'],
  ['card', 'CARD'],
  ['bank', 'BANK_TRANSFER'],
  ['ewallet', 'EWALLET'],
  ['eft', 'EFT'],
  ['alias', 'ALIAS'],
  ['payid', 'ALIAS'],
  ['upi', 'ALIAS'],
]

/** QR schemes: the method code contains the name of the scheme instead of a kind (gap sheet, section 28). */
const QR_SCHEME = /qr/

/**
 * Parses a method code. Codes are opaque and new ones appear without notice, so this never fails: for a code without the usual format it
 * returns kind OTHER without country and currency (docs/payments-api.md, section 2.5).
 */
export function parseMethodCode(code: string): MethodCode {
  const match = SHAPE.exec(code)
  if (match === null) return { code, countryCode: null, kind: 'OTHER', kindRaw: code, currency: null }
  const [, country = '', middle = '', currency = ''] = match
  const { kind, kindRaw } = kindOf(middle)
  return {
    code,
    countryCode: COUNTRIES_OF_THEIR_OWN[country] ?? country.toUpperCase(),
    kind,
    kindRaw,
    currency: currency.toUpperCase(),
  }
}

function kindOf(middle: string): { kind: MethodKind; kindRaw: string } {
  const known = KINDS.find(([word]) => middle === word || middle.startsWith(`${word}_`))
  const kind = QR_SCHEME.test(middle) ? 'QR' : (known?.[1] ?? 'OTHER')
  return { kind, kindRaw: known?.[0] ?? middle }
}
