import type { MethodKind } from './method-code.ts'

/** What the payments API itself says of one method, by `is_refundable`, `is_cancellable`, `require_contact`, `require_kyc`. */
export type MethodFlags = Pick<MethodTraits, 'refundable' | 'cancellable' | 'requiresContact' | 'requiresKyc'>

export const NO_FLAGS: MethodFlags = { refundable: null, cancellable: null, requiresContact: null, requiresKyc: null }

/** What the customer meets with a kind of method, and what the merchant can do afterwards. Null: the payments API does not say. */
export type MethodTraits = {
  readonly refundable: boolean | null
  readonly cancellable: boolean | null
  /** The customer approves the payment on a handset. */
  readonly promptsHandset: boolean
  /** After approving, the customer still says "I have paid" on the hosted page. */
  readonly confirmsOnPage: boolean | null
  /** What the customer leaves unanswered ends as failed, not as pending. */
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
 * Returns the traits of a method: its own flags where it has them, otherwise those that docs/payments-api.md names for its
 * kind (section 2.5).
 */
export function traitsOf(kind: MethodKind, flags: MethodFlags = NO_FLAGS): MethodTraits {
  const said = Object.entries(flags).filter(([, flag]) => flag !== null)
  return { ...TRAITS[kind], ...Object.fromEntries(said) }
}
