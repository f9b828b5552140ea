import type { MethodKind } from './method-code.ts'
import type { MethodFlags } from './method-traits.ts'

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
