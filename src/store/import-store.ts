import type { AgreementReport } from '../domain/agreements/agreement-report.ts'
import type { ComparedDays } from '../domain/imports/compared-days.ts'
import type { CheckPlace, ListPlace, PaymentImport } from '../domain/imports/import-plan.ts'
import type { Amounts } from '../domain/imports/import-report.ts'
import type { ImportPart } from '../domain/imports/imported-lists.ts'
import type { PaymentReport } from '../domain/payments/payment-report.ts'
import type { PayoutReport } from '../domain/payouts/payout-report.ts'
import type { Page, PageQuery } from './page.ts'

/** Something that the payments API has, with where it was found. */
type Found<Report> = {
  readonly report: Report
  /** Id of the site whose credentials found it. */
  readonly site: string
  /** The last segment of its webhook URL: our correlation id, if it was made here; null without a URL of that form. */
  readonly ref: string | null
}

export type FoundPayment = Found<PaymentReport> & {
  /** It was found among the links: if it is not of this process, only its link can be read. */
  readonly isLink: boolean
  /** Its payer was erased after it was made: nothing of the payer is recorded. */
  readonly isPayerErased: boolean
}

/** `newRef`: a random correlation id, if it was made elsewhere. */
export type FoundAgreement = Found<AgreementReport> & { readonly newRef: string }
export type FoundPayout = Found<PayoutReport> & { readonly newRef: string }

/** The readable entries of a page of a list. */
export type FoundEntries =
  | { readonly list: 'LINKS' | 'PAYINS'; readonly entries: readonly FoundPayment[] }
  | { readonly list: 'AGREEMENTS'; readonly entries: readonly FoundAgreement[] }
  | { readonly list: 'PAYOUTS'; readonly entries: readonly FoundPayout[] }

/** A page of a list, at the place where the import was when it was read. */
export type ImportedPage = {
  readonly number: number
  readonly place: ListPlace
  readonly found: FoundEntries
  readonly totalPages: number | null
  readonly at: Date
}

export type NewImport = Pick<PaymentImport, 'plan' | 'dryRun' | 'daily' | 'requestedBy'> & {
  readonly requestedAt: Date
}

export type BegunImport =
  | { readonly kind: 'begun' | 'running'; readonly import: PaymentImport }
  /** As many as may run are running. */
  | { readonly kind: 'too-many' }

/** What is on record here and was not in a list. */
export type AbsentObjects = {
  readonly objects: readonly { readonly id: string; readonly ours: Amounts | null }[]
  /** Where the next are looked for; null if there are no more. */
  readonly next: CheckPlace['after']
}

export type AbsentQuery = {
  readonly number: number
  readonly part: ImportPart
  readonly place: CheckPlace
  /** Created here between these instants, in milliseconds since the epoch. */
  readonly from: number
  readonly to: number
}

export type ImportFilter = {
  readonly daily?: boolean
  /** Begin of the interval, in milliseconds since the epoch. */
  readonly from?: number
}

/** Imports. Their progress is stored with what they record, so that one that was killed goes on with the page at which it was. */
export type ImportQueries = {
  /**
   * Records an import. Returns the running one of the same terms instead, if there is one. Those of the schedule have the same terms if they
   * begin at the same instant.
   */
  begin(request: NewImport): Promise<BegunImport>
  /** Returns what the schedule has compared of the last year before `now`. */
  comparedDays(now: Date): Promise<ComparedDays>
  /** The imports that are not done, oldest first. */
  running(): Promise<PaymentImport[]>
  byNumber(number: number): Promise<PaymentImport | null>
  /** Newest first. */
  page(page: PageQuery, filter: ImportFilter): Promise<Page<PaymentImport>>
  /** Returns what is on record here, in bounded number, and was not seen in the list of a part. Always empty for agreements. */
  absent(query: AbsentQuery): Promise<AbsentObjects>
  /**
   * Removes some of the notes of an import, and ends it once there are no more. Returns whether it has ended. Of those that were asked for
   * and have ended a thousand are kept, and those of the schedule for more than a year.
   */
  clear(number: number, at: Date): Promise<boolean>
}
