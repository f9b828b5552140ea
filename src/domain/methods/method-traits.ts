import type { MethodKind } from './method-code.ts'

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
