import type { MethodKind } from '../methods/method-code.ts'
import type { MethodRequirements } from '../methods/method-field.ts'

/** A payout method of the merchant's account (docs/payments-api.md, section 2.6). */
export type PayoutMethod = {
  /** Opaque: new codes appear without notice. */
  readonly code: string
  /** Upper-case currency code. */
  readonly currency: string
  /** ISO 3166 alpha-2 code; null if the code does not have the usual format. */
  readonly countryCode: string | null
  readonly kind: MethodKind
  readonly kindRaw: string
}

export type PayoutBank = { readonly code: string; readonly name: string; readonly shortName: string | null }

/** The required fields and limits of a payout method, and the banks that it reaches. */
export type PayoutMethodRequirements = MethodRequirements & { readonly banks: readonly PayoutBank[] }
