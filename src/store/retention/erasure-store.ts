import type { PageQuery } from '../store.ts'

/** What payers are found by: the id of a payment, link, agreement or payout, the owner of links and payins, or an e-mail address. */
export type ErasureKind = 'PAYMENT' | 'LINK' | 'AGREEMENT' | 'PAYOUT' | 'OWNER' | 'EMAIL'

export type ErasureRequest = {
  readonly kind: ErasureKind
  /** The id, the owner or the e-mail address. Kept until the erasure is done. */
  readonly value: string
  /** Keyed hash of the value, which stays. */
  readonly valueHash: string
  /** Subject of the caller's token; null if it has none. */
  readonly requestedBy: string | null
  readonly requestedAt: Date
}

/** The record of an erasure. It does not contain what was erased. */
export type PayerErasure = {
  readonly number: number
  readonly kind: ErasureKind
  readonly valueHash: string
  readonly requestedBy: string | null
  /** ISO 8601 instant in UTC with milliseconds. */
  readonly requestedAt: string
  /** Payments, agreements and payouts whose payers or payees are erased so far; those of earlier erasures are not counted. */
  readonly payments: number
  readonly agreements: number
  readonly payouts: number
  /** Payers and payees that were on record. */
  readonly payers: number
  /** Null while it is running. */
  readonly doneAt: string | null
}

export type ErasureFilter = { readonly valueHashes?: readonly string[] }

/** Erases payers, in transactions of a few hundred payments, between which others write. */
export type ErasureStore = {
  /** Records an erasure. Returns the running one of the same kind and value instead, if there is one. */
  begin(request: ErasureRequest): Promise<PayerErasure>
  /**
   * Erases the next payers of an erasure, and ends it if there are no more. Several processes may call it at the same time. Returns the record; one
   * that is done is returned unchanged. Null if there is no erasure with this number.
   */
  step(number: number, at: Date): Promise<PayerErasure | null>
  /** Returns the numbers of the erasures that are not done, oldest first. */
  running(): Promise<number[]>
  /** Newest first. */
  page(page: PageQuery, filter: ErasureFilter): Promise<PayerErasure[]>
}
