import type { AgreementReport } from '../../domain/agreements/agreement-report.ts'
import { isAmount, requireMatch, requireServed, sendable, shaped, spanQuery } from '../client/exchange-checks.ts'
import type { Site } from '../client/sites.ts'
import type { Transport } from '../client/transport.ts'
import { readPage } from '../wire/values/wire-fields.ts'
import {
  type AgreementAmendment,
  type WireAgreementRequest,
  type AgreementStatusRequest,
  toAgreementBody,
  toAmendmentBody,
  toStatusChangeBody,
  readAgreementReport,
} from '../wire/wire-agreement.ts'
import { readEndpointUrl } from '../wire/wire-payment.ts'

export type AgreementSearch = {
  /** Whole seconds in UTC: `from` is rounded down, `to` up. */
  readonly from: Date
  readonly to: Date
  /** Starts at 1. */
  readonly page?: number
  readonly size?: number
}

export type ListedAgreement = {
  readonly report: AgreementReport
  /** The agreement's callback URL. */
  readonly endpointUrl: string | null
}

export type AgreementPage = {
  readonly entries: readonly ListedAgreement[]
  readonly page: number
  /** Null on the last page. */
  readonly nextPage: number | null
  readonly totalPages: number | null
  readonly totalCount: number | null
}

/** The v1 payment agreements, in AUD (docs/payments-api.md, section 4.1). Every call rejects with an `UpstreamFault`. */
export type PaymentAgreementCalls = {
  /**
   * Creates an agreement. Sent at most once, unless the payments API was certainly not reached. Rejects with `mismatch` if the
   * answer names another agreement or limit.
   */
  createPaymentAgreement(site: Site, request: WireAgreementRequest): Promise<AgreementReport>
  /** Changes the terms of an agreement (gap sheet, section 14). Sent at most once. */
  amendPaymentAgreement(site: Site, amendment: AgreementAmendment): Promise<AgreementReport>
  /** Suspends, resumes or cancels an agreement (gap sheet, section 15). Sent at most once. */
  changeAgreementStatus(site: Site, change: AgreementStatusRequest): Promise<AgreementReport>
  /** Returns one page of the agreements created in an interval (gap sheet, section 16). Unreadable entries are omitted. */
  searchAgreements(site: Site, search: AgreementSearch): Promise<AgreementPage>
}

const PATH = '/v1/pay_to/payment_agreement'
const CURRENCY = 'AUD'

/** Creates the calls for v1 agreements: create, amend, change and search. */
export function paymentAgreementCalls(transport: Transport): PaymentAgreementCalls {
  async function send(site: Site, path: string, body: Record<string, unknown>) {
    const { status, json } = await transport.request(site, { method: 'POST', path, body })
    return { status, report: shaped(readAgreementReport(json), status) }
  }

  async function change(site: Site, path: string, named: { serviceId: string; body: Record<string, unknown> }) {
    const { status, report } = await send(site, path, named.body)
    requireMatch(report.serviceId === null || report.serviceId === named.serviceId, status)
    return report
  }

  return {
    createPaymentAgreement: async (site, request) => {
      requireServed(site, CURRENCY)
      const { status, report } = await send(site, PATH, sendable(toAgreementBody(request)))
      const { clientTransactionId: id, limit } = report
      requireMatch((id === null || id === request.clientTransactionId) && isAmount(request.limit, limit), status)
      return report
    },

    amendPaymentAgreement: async (site, amendment) => {
      requireServed(site, CURRENCY)
      const body = sendable(toAmendmentBody(amendment))
      return change(site, `${PATH}/amendment`, { serviceId: amendment.serviceId, body })
    },

    changeAgreementStatus: async (site, request) => {
      const body = sendable(toStatusChangeBody(request))
      return change(site, `${PATH}/change_status`, { serviceId: request.serviceId, body })
    },

    searchAgreements: async (site, { page, size, ...span }) => {
      const query = { ...spanQuery(span), page, size }
      const { status, json } = await transport.request(site, { method: 'GET', path: `${PATH}/search`, query })
      const { records, ...found } = shaped(readPage(json), status)
      return {
        entries: records.flatMap((record) => {
          const report = readAgreementReport(record)
          return report === null ? [] : { report, endpointUrl: readEndpointUrl(record) }
        }),
        page: found.page ?? page ?? 1,
        nextPage: found.nextPage,
        totalPages: found.totalPages,
        totalCount: found.totalCount,
      }
    },
  }
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** Distances from the creation time, searched in this order: clocks differ, and the search uses the clock of the payments API. */
const DISTANCES_MS = [MINUTE_MS, HOUR_MS, DAY_MS]

type Wanted = {
  /** The merchant's id or the payments API's id; either one is enough. */
  readonly clientTransactionId: string | null
  readonly id?: string
  readonly now: Date
  /** Creation time; by default now. */
  readonly createdAt?: Date
}

/**
 * Finds an agreement in the agreement list, since the payments API cannot read a single one (gap sheet, section 16). Returns null
 * if it is not there. Rejects with an `UpstreamFault` if the payments API does not answer, and with an `IncompleteSearchError` if
 * there are too many entries.
 */
export async function findAgreement(
  upstream: Pick<PaymentAgreementCalls, 'searchAgreements'>,
  site: Site,
  { clientTransactionId, id, now, createdAt = now }: Wanted,
): Promise<AgreementReport | null> {
  const found = await searchPages({
    spans: spansAround(createdAt.getTime(), now.getTime() + DAY_MS),
    list: async (search) => {
      const { entries, nextPage } = await upstream.searchAgreements(site, search)
      return { entries, hasMore: nextPage !== null }
    },
    matches: ({ report }) =>
      report.id === id || (clientTransactionId !== null && report.clientTransactionId === clientTransactionId),
  })
  return found?.report ?? null
}

/** Returns the interval around `middle` first, then the intervals before and after it, outwards; none goes beyond `latest`. */
function spansAround(middle: number, latest: number): SearchSpan[] {
  const span = (from: number, to: number): SearchSpan[] =>
    from < Math.min(to, latest) ? [{ from: new Date(from), to: new Date(Math.min(to, latest)) }] : []
  return DISTANCES_MS.flatMap((distance, index) => {
    const inner = DISTANCES_MS[index - 1]
    return inner === undefined
      ? span(middle - distance, middle + distance)
      : span(middle - distance, middle - inner).concat(span(middle + inner, middle + distance))
  })
}

/** Position in a search: the interval and the page. */
export type SearchProgress = { span: number; page: number }

export type SearchSpan = { readonly from: Date; readonly to: Date }

type ListedPage<Entry> = { readonly entries: readonly Entry[]; readonly hasMore: boolean | null }

type PageSearch<Entry> = {
  /** Intervals to search, the most likely first. */
  readonly spans: readonly SearchSpan[]
  readonly list: (search: SearchSpan & { readonly page: number }) => Promise<ListedPage<Entry>>
  readonly matches: (entry: Entry) => boolean
  /** Where an earlier search ended; it is updated. */
  readonly progress?: SearchProgress
  /** Monotonic milliseconds. Default: the system clock. */
  readonly now?: () => number
}

/** The search ended before all entries were seen: the entry may or may not exist. */
export class IncompleteSearchError extends Error {
  override name = 'IncompleteSearchError'
  readonly safeMessage = true

  constructor() {
    super('The lists of the payments API are longer than one search may take.')
  }
}

/** Limits of one search. */
const MOST_PAGES = 100
const LONGEST_MS = 10_000

/**
 * Reads the pages of a list, interval by interval, until an entry matches. Returns null if all pages were read. Throws
 * `IncompleteSearchError` if the page or time limit is reached first; with `progress`, the next search continues there.
 */
export async function searchPages<Entry>(search: PageSearch<Entry>): Promise<Entry | null> {
  const { spans, list, matches, progress = { span: 0, page: 1 }, now = () => performance.now() } = search
  const begun = now()
  let before = ''
  for (let pages = 0; progress.span < spans.length; pages++) {
    const span = spans[progress.span]
    if (span === undefined) break
    if (pages >= MOST_PAGES || now() - begun > LONGEST_MS) throw new IncompleteSearchError()
    const { entries, hasMore } = await list({ ...span, page: progress.page })
    const found = entries.find(matches)
    if (found !== undefined) return found
    // If the payments API does not say whether there is another page, an empty or repeated page is the end.
    const shown = JSON.stringify(entries)
    const goesOn = hasMore ?? (entries.length > 0 && shown !== before)
    before = shown
    if (goesOn) progress.page += 1
    else Object.assign(progress, { span: progress.span + 1, page: 1 })
  }
  return null
}
