import { tidied } from '../../lib/text.ts'
import { problem, type Problem } from '../field-problems.ts'
import { compareDecimals, exponentOf, type Money, withDecimals } from '../money/money.ts'

/** How a method can be used: on the hosted page of a link (v3), or for a direct payin (v2). */
export type PayinMethodUse = 'LINK' | 'DIRECT'

/** A payment method of the merchant's account (docs/payments-api.md, sections 2.5 and 4.5). */
export type PayinMethod = {
  /** Opaque: new codes appear without notice. */
  readonly code: string
  /** The lists that the method is in. */
  readonly usableFor: readonly PayinMethodUse[]
  /** Null if the lists do not name the method. */
  readonly name: string | null
  /** Upper-case currency code. */
  readonly currency: string
  /** ISO 3166 alpha-2 code; null if the code does not have the usual format. */
  readonly countryCode: string | null
  readonly kind: MethodKind
  readonly kindRaw: string
  /** Limits of one payment as plain digits in the method's currency; null if the payments API names none. */
  readonly minAmount: string | null
  readonly maxAmount: string | null
  /** Null if the payments API does not say. */
  readonly cardBrands: readonly string[] | null
  readonly checkoutLanguages: readonly string[] | null
  /** Mobile networks or wallets on which the method works; null if the payments API does not say. */
  readonly networks: readonly string[] | null
  readonly symbol: string | null
  /** A URL with https, or http on loopback. */
  readonly logo: string | null
  /** The flags in the method's entry of the method list. */
  readonly flags: MethodFlags
}

/** The fields that limit the amount of a method. */
export type Limits = Pick<PayinMethod, 'currency' | 'minAmount' | 'maxAmount'>

/** Returns one limit of a method as an amount; null if the payments API names none. */
export function limitOf(method: Limits, which: 'minAmount' | 'maxAmount'): Money | null {
  const value = method[which]
  return value === null ? null : { value, currency: method.currency }
}

/** Returns whether an amount is within a method's limits; null if the currency differs or no limit is known. */
export function accepts(method: Limits, amount: Money): boolean | null {
  const { minAmount, maxAmount } = method
  if (method.currency !== amount.currency || (minAmount === null && maxAmount === null)) return null
  const enough = minAmount === null || compareDecimals(amount.value, minAmount) >= 0
  const notTooMuch = maxAmount === null || compareDecimals(amount.value, maxAmount) <= 0
  return enough && notTooMuch
}

/** Returns the range that several methods cover together. An end without a limit in one of them is null. */
export function spanOf(methods: readonly PayinMethod[]): { min: Money | null; max: Money | null } {
  return { min: outermost(methods, 'minAmount', -1), max: outermost(methods, 'maxAmount', 1) }
}

function outermost(methods: readonly PayinMethod[], which: 'minAmount' | 'maxAmount', sign: number): Money | null {
  const limits = methods.map((method) => limitOf(method, which))
  return limits.reduce((furthest, limit) => {
    if (furthest === null || limit === null) return null
    return compareDecimals(limit.value, furthest.value) * sign > 0 ? limit : furthest
  }, limits[0] ?? null)
}

/**
 * Returns the methods of several lists as one list, without duplicate codes: those of the first list in its order, then the others. What an
 * earlier list does not say of a method is taken from a later one.
 */
export function mergedMethods(lists: readonly (readonly PayinMethod[])[]): PayinMethod[] {
  const byCode = new Map<string, PayinMethod>()
  for (const method of lists.flat()) {
    const known = byCode.get(method.code)
    byCode.set(method.code, known === undefined ? method : merged(known, method))
  }
  return [...byCode.values()]
}

function merged(first: PayinMethod, second: PayinMethod): PayinMethod {
  // A currency is part of what a limit means.
  const { minAmount, maxAmount, ...others } = second
  const limits = first.currency === second.currency ? { minAmount, maxAmount } : {}
  return {
    ...filled(first, { ...others, ...limits }),
    usableFor: [...new Set([...first.usableFor, ...second.usableFor])],
    flags: filled<MethodFlags>(first.flags, second.flags),
  }
}

/** Returns `first` with what is null in it taken from `second`. */
function filled<Value extends object>(first: Value, second: Partial<Value>): Value {
  const said = Object.entries(first).filter(([, value]) => value !== null)
  return { ...first, ...second, ...Object.fromEntries(said) }
}

/** The traits that the payments API reports for one method: `is_refundable`, `is_cancellable`, `require_contact`, `require_kyc`. */
export type MethodFlags = Pick<MethodTraits, 'refundable' | 'cancellable' | 'requiresContact' | 'requiresKyc'>

export const NO_FLAGS: MethodFlags = { refundable: null, cancellable: null, requiresContact: null, requiresKyc: null }

/** The traits of a kind of method, for the customer and for the merchant. Null: the payments API does not say. */
export type MethodTraits = {
  readonly refundable: boolean | null
  readonly cancellable: boolean | null
  /** The customer approves the payment on a handset. */
  readonly promptsHandset: boolean
  /** After approving, the customer must also confirm "I have paid" on the hosted page. */
  readonly confirmsOnPage: boolean | null
  /** A payment that the customer does not approve in time ends as failed; it does not stay pending. */
  readonly timesOutAsFailed: boolean | null
  /** A contact of the payer must exist before the payment. */
  readonly requiresContact: boolean | null
  /** The contact must have passed the identity check. */
  readonly requiresKyc: boolean | null
}

const NOT_SAID: MethodTraits = {
  refundable: null,
  cancellable: null,
  promptsHandset: false,
  confirmsOnPage: null,
  timesOutAsFailed: null,
  requiresContact: null,
  requiresKyc: null,
}

const TRAITS: Readonly<Record<MethodKind, MethodTraits>> = {
  CARD: NOT_SAID,
  BANK_TRANSFER: NOT_SAID,
  ALIAS: NOT_SAID,
  EWALLET: NOT_SAID,
  MOBILE_MONEY: {
    ...NOT_SAID,
    refundable: false,
    cancellable: false,
    promptsHandset: true,
    confirmsOnPage: true,
    timesOutAsFailed: true,
  },
  QR: NOT_SAID,
  EFT: NOT_SAID,
  UPI: NOT_SAID,
  PIX: NOT_SAID,
  INTERAC: NOT_SAID,
  OTHER: NOT_SAID,
}

/**
 * Returns the traits of a method: its own flags if it has them, otherwise those that docs/payments-api.md documents for its kind (section
 * 2.5).
 */
export function traitsOf(kind: MethodKind, flags: MethodFlags = NO_FLAGS): MethodTraits {
  const said = Object.entries(flags).filter(([, flag]) => flag !== null)
  return { ...TRAITS[kind], ...Object.fromEntries(said) }
}

/** Methods whose payer chooses the amount (gap sheet, section 9). */
const OPEN_AMOUNT_METHODS: ReadonlySet<string> = new Set(['usdc_bank'])

/** Returns whether a direct payin by this method may be made without an amount. */
export function takesOpenAmount(methodCode: string): boolean {
  return OPEN_AMOUNT_METHODS.has(methodCode)
}

/** The amount of a payin whose payer chooses it, until the payments API reports one. */
export const OPEN_AMOUNT = '0'

/** Checks an amount against a method's limits for one payment. Returns null if it is within them, or if no limit applies. */
export function limitProblem(
  { value, currency }: Money,
  limits: Pick<MethodRequirements, 'currency' | 'minAmount' | 'maxAmount'> | null,
): string | null {
  if (limits === null || limits.currency !== currency) return null
  const { minAmount, maxAmount } = limits
  const shown = (limit: string) => withDecimals(limit, exponentOf(currency))
  if (minAmount !== null && compareDecimals(value, minAmount) < 0) return `must be at least ${shown(minAmount)}`
  return maxAmount !== null && compareDecimals(value, maxAmount) > 0 ? `must be at most ${shown(maxAmount)}` : null
}

/** Checks that a method supports a currency, according to its requirements or, without them, to its code. Returns null if it does. */
export function methodProblem(code: string, currency: string, requirements: MethodRequirements | null): string | null {
  if (code.trim() === '' || code.length > 100) return 'must be a method code'
  const works = requirements?.currency ?? parseMethodCode(code).currency
  return works === null || works === currency ? null : `is for ${works}, not for ${currency}`
}

/**
 * Checks the fields of a method: required ones are present, and each has its type. Fields that the method does not name, and types that
 * this version does not recognise, are accepted, because the payments API does not forbid them.
 */
export function methodFieldProblems(
  given: Readonly<Record<string, unknown>>,
  requirements: Pick<MethodRequirements, 'fields'> | null,
  path: readonly string[],
): (Problem | null)[] {
  return (requirements?.fields ?? []).map(({ name, type, required }) => {
    const value = Object.hasOwn(given, name) ? given[name] : null
    if (value == null) return required ? problem('is required', [...path, name]) : null
    if (TYPES.get(type)?.(value) === false) return problem(`must be of type ${type}`, [...path, name])
    return required && typeof value === 'string' && value.trim() === ''
      ? problem('must not be blank', [...path, name])
      : null
  })
}

const TYPES: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ['string', (value) => typeof value === 'string'],
  ['number', (value) => Number.isFinite(value)],
  ['integer', (value) => Number.isSafeInteger(value)],
  ['boolean', (value) => typeof value === 'boolean'],
])

/** Returns the values of a method's fields, the texts among them without invisible characters around them: numbers are pasted. */
export function tidiedFields(given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, typeof value === 'string' ? tidied(value) : value]),
  )
}

/** One field that the merchant collects for a method. */
export type MethodField = {
  readonly name: string
  /** In lower case, as spelled by the payments API, e.g. `string`. */
  readonly type: string
  readonly required: boolean
  readonly label: string | null
  /** The descriptor as received. */
  readonly raw: string
}

/** The required fields and limits of a method. Amounts are plain digits; values that the payments API does not report are null. */
export type MethodRequirements = MethodFlags & {
  readonly code: string
  readonly currency: string
  readonly description: string | null
  readonly minAmount: string | null
  readonly maxAmount: string | null
  readonly networks: readonly string[] | null
  readonly symbol: string | null
  readonly logo: string | null
  readonly fields: readonly MethodField[]
}

const REQUIREMENTS: ReadonlyMap<string, boolean> = new Map([
  ['mandatory', true],
  ['required', true],
  ['optional', false],
])

/**
 * Parses a field descriptor, `<type>:<Mandatory or Optional> <free label>`, in upper or lower case (gap sheet, section 8). A field without
 * this word is optional, because the payments API itself rejects a request without a mandatory field; the label is then the whole text
 * after the type.
 */
export function parseFieldDescriptor(name: string, text: string): MethodField {
  const colon = text.indexOf(':')
  const type = (colon === -1 ? text : text.slice(0, colon)).trim().toLowerCase()
  const rest = colon === -1 ? '' : text.slice(colon + 1).trim()
  const word = /^\p{L}*/u.exec(rest)?.[0] ?? ''
  const required = REQUIREMENTS.get(word.toLowerCase())
  const label = required === undefined ? rest : rest.slice(word.length).replace(/^[\s,;:.-]+/, '')
  return { name, type, required: required ?? false, label: label === '' ? null : label, raw: text }
}

/** The way in which the customer pays, derived from a method code. */
export type MethodKind =
  | 'CARD'
  | 'BANK_TRANSFER'
  | 'ALIAS'
  | 'EWALLET'
  | 'MOBILE_MONEY'
  | 'QR'
  | 'EFT'
  | 'UPI'
  | 'PIX'
  | 'INTERAC'
  | 'OTHER'

export type MethodCode = {
  readonly code: string
  /** ISO 3166 alpha-2 code; null if the code does not have the usual format. */
  readonly countryCode: string | null
  readonly kind: MethodKind
  /** The kind as spelled in the code, e.g. `mobile_money`; the whole code if it does not have the usual format. */
  readonly kindRaw: string
  /** The provider or scheme, e.g. `gcash` or `vietqr`; null if the code names none besides the kind. */
  readonly provider: string | null
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
  ['upi', 'UPI'],
  ['pix', 'PIX'],
  ['interac', 'INTERAC'],
]

/** QR schemes: the method code contains the name of the scheme instead of a kind (gap sheet, section 28). */
const QR_SCHEME = /qr/

/**
 * Parses a method code. Codes are opaque and new ones appear without notice, so this never fails: for a code without the usual format it
 * returns kind OTHER without country and currency (docs/payments-api.md, section 2.5).
 */
export function parseMethodCode(code: string): MethodCode {
  const match = SHAPE.exec(code)
  if (match === null) return { code, countryCode: null, kind: 'OTHER', kindRaw: code, provider: null, currency: null }
  const [, country = '', middle = '', currency = ''] = match
  return {
    code,
    countryCode: COUNTRIES_OF_THEIR_OWN[country] ?? country.toUpperCase(),
    ...kindOf(middle),
    currency: currency.toUpperCase(),
  }
}

/** Returns the kind that a word of a method code names, such as `card` or `mobile_money_mpesa`; OTHER for an unknown one. */
export function kindOf(middle: string): Pick<MethodCode, 'kind' | 'kindRaw' | 'provider'> {
  const known = KINDS.find(([word]) => middle === word || middle.startsWith(`${word}_`))
  const isQr = QR_SCHEME.test(middle)
  const kind = isQr ? 'QR' : (known?.[1] ?? 'OTHER')
  if (known === undefined) return { kind, kindRaw: middle, provider: isQr ? (middle.split('_').at(-1) ?? null) : null }
  const [kindRaw] = known
  return { kind, kindRaw, provider: middle === kindRaw ? null : middle.slice(kindRaw.length + 1) }
}
