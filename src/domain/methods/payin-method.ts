import type { MethodKind } from './method-code.ts'
import type { MethodFlags } from './method-traits.ts'

/** A payment method of the merchant's account (docs/payments-api.md, section 2.5). */
export type PayinMethod = {
  /** Opaque: new codes appear without notice. */
  readonly code: string
  readonly name: string
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
  /** The flags in the method's entry of the method list. */
  readonly flags: MethodFlags
}
