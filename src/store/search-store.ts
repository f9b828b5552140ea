import type { PaymentLink } from '../domain/payments/payment-link.ts'
import type { Payment } from '../domain/payments/payment.ts'

/** What a text can be the beginning of. */
export const SEARCH_FIELDS = ['REFERENCE', 'PAYMENT_ID', 'LINK_ID', 'PAYER_NAME', 'PAYER_EMAIL'] as const

export type SearchField = (typeof SEARCH_FIELDS)[number]

export type PaymentSearch = {
  /** Not blank. */
  readonly text: string
  readonly fields: readonly SearchField[]
  /** Rows per field and at most in all, from 1 on. */
  readonly limit: number
}

/** A payment, or a link without one, and the fields that begin with the text. */
export type SearchMatch = {
  readonly payment: Payment | null
  /** Null with a payment. */
  readonly link: PaymentLink | null
  readonly fields: readonly SearchField[]
}

export type SearchResult = {
  /** Newest first; payments before links. */
  readonly matches: readonly SearchMatch[]
  /** More begins with the text than is returned. */
  readonly more: boolean
}
