import type { PaymentAgreementPayer } from '../domain/agreements/agreement-report.ts'
import type { Agreement } from '../domain/agreements/agreement.ts'
import type { GatewayPayment } from '../domain/gateway/gateway-payment.ts'
import type { DirectPayin } from '../domain/payments/direct-payin.ts'
import type { PaymentLink } from '../domain/payments/payment-link.ts'
import type { Payment } from '../domain/payments/payment.ts'
import type { PayoutPayee } from '../domain/payouts/payout-report.ts'
import type { Payout } from '../domain/payouts/payout.ts'
import type { ReadClass } from '../domain/reads/read-schedule.ts'
import type { ListStore } from './page.ts'

export type AgreementStore = ListStore<Agreement> & {
  byIds(ids: readonly string[]): Promise<Agreement[]>
  byClientTransactionIds(ids: readonly string[]): Promise<Agreement[]>
  /** Payers by agreement id. */
  payers(ids: readonly string[]): Promise<Map<string, PaymentAgreementPayer>>
  /** Returns an agreement and the position of the log, read in one transaction. */
  snapshot(id: string): Promise<{ agreement: Agreement; head: number } | null>
}

/** What is stored of the reads of a subject. */
type ReadState = {
  /** Callbacks and responses recorded for the subject so far. A response is applied only if this has not changed meanwhile. */
  readonly deliveries: number
  /** Consecutive reads that failed or returned nothing. */
  readonly failures: number
  /** When its read is due; null if none is planned. */
  readonly dueAt: Date | null
}

/** An agreement that is to be read from the payments API. */
export type AgreementReadSubject = ReadState & { readonly agreement: Agreement }

/** A payout that is to be read from the payments API. */
export type PayoutReadSubject = ReadState & { readonly payout: Payout }

/** Payouts that were made here; those whose amount and currency are known are listed. */
export type PayoutStore = ListStore<Payout> & {
  byIds(ids: readonly string[]): Promise<Payout[]>
  /** Payees by payout id; none of those that were erased. */
  payees(ids: readonly string[]): Promise<Map<string, readonly PayoutPayee[]>>
  /** Returns a payout and the position of the log, read in one transaction. */
  snapshot(id: string): Promise<{ payout: Payout; head: number } | null>
}

/** Gateway payments that were started here. */
export type GatewayPaymentStore = ListStore<GatewayPayment> & {
  byIds(ids: readonly string[]): Promise<GatewayPayment[]>
  /** Returns a gateway payment and the position of the log, read in one transaction. */
  snapshot(id: string): Promise<{ gatewayPayment: GatewayPayment; head: number } | null>
}

/** What is to be read from the payments API: a payment, or a link without a known payment. */
export type ReadSubject = {
  readonly paymentId: string | null
  /** The recorded payment. */
  readonly payment: Payment | null
  readonly link: PaymentLink | null
  /** The request of a payment that was created here without a link. */
  readonly payin: DirectPayin | null
  /** Upstream uuid of the link that the reports of a payment name; null for a link, and if they name none. */
  readonly namedLinkId: string | null
  /** Selects the credentials of a payment with neither link nor payin (`readSiteOf`); null for a link. */
  readonly readSite: string | null
  /**
   * Deliveries and responses recorded for the payment and its link so far. A response is applied only if this has not changed
   * meanwhile.
   */
  readonly deliveries: number
  /** Consecutive reads that failed or returned nothing. */
  readonly failures: number
  /** When its read is due; null if none is planned. */
  readonly dueAt: Date | null
}

/** What can be read from the payments API. */
export type ReadKind = 'payment' | 'link' | 'agreement' | 'payout'

/** A read that is due. */
export type DueRead = {
  readonly kind: ReadKind
  readonly id: string
  readonly readClass: ReadClass
  readonly dueAt: Date
}

/** Selects due reads. */
export type DueReadsQuery = {
  /** As returned by `readSiteOf`. */
  readonly readSites: readonly string[]
  /** Due at this instant or earlier. */
  readonly by: Date
  readonly limit: number
}

export type ReadQueries = {
  /** Returns the sites at which a read of any kind is planned, as returned by `readSiteOf`. */
  sites(): Promise<string[]>
  /**
   * Returns the due reads of any kind at these sites, by class, the most urgent first. Of doubts the longest due comes first, so that none
   * waits for ever. Of the others the latest comes first: if there are more than can be read, most are read in time, and a comparison of
   * their day settles the rest.
   */
  due(query: DueReadsQuery): Promise<DueRead[]>
  /** Returns the subject with this payment id or upstream link uuid. */
  subject(id: string): Promise<ReadSubject | null>
  /** Returns the number and age of due reads; cheap enough for every few seconds. */
  backlog(now: Date): Promise<PaymentsReadBacklog>
}

export type PaymentsReadBacklog = {
  /** Reads of payments, links and agreements that are due, counted up to 10,000. */
  readonly waiting: number
  /** The same by site and class, each counted up to 10,000; without sites and classes with no due read. */
  readonly due: readonly DueReads[]
  /**
   * Since when the payment that has been unconfirmed for longest is unconfirmed: since its read was due, or since its last change if it
   * is in doubt. Null if there is none.
   */
  readonly unconfirmedSince: Date | null
  /** The same only for doubts, including agreements: a webhook needs confirmation, or contradicts the recorded state. */
  readonly doubtSince: Date | null
}

export type DueReads = {
  /** As returned by `readSiteOf`. */
  readonly readSite: string
  readonly readClass: ReadClass
  readonly count: number
  /** When the first of them became due. */
  readonly since: Date
}

export type ReadOutcome = 'changed' | 'confirmed' | 'superseded' | 'fruitless'

/** What a text can be the beginning of; amounts and last digits of cards have to be equal. */
export const SEARCH_FIELDS = [
  'REFERENCE',
  'PAYMENT_ID',
  'LINK_ID',
  'AMOUNT',
  'CARD_LAST4',
  'PAYER_NAME',
  'PAYER_EMAIL',
] as const

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
