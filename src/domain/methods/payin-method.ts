import { compareDecimals, type Money } from '../money/money.ts'
import type { MethodKind } from './method-code.ts'

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
