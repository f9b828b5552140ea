import type { MethodKind } from './method-code.ts'

/** What the customer meets with a kind of method, and what the merchant can do afterwards. Null: the service does not say. */
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

/** The traits of a kind of method, as far as the service tells them (interface document, section 2.5). */
export function traitsOf(kind: MethodKind): MethodTraits {
  return TRAITS[kind]
}
