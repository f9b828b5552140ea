import type { PayinMethod } from '../../domain/methods/payin-method.ts'
import type { PaymentReport } from '../../domain/payments/payment-report.ts'
import {
  isAmount,
  isServed,
  repeats,
  requireMatch,
  requireServed,
  requireUuid,
  sendable,
  shaped,
} from '../client/assertions.ts'
import type { Site } from '../client/sites.ts'
import type { Transport } from '../client/transport.ts'
import { unknownOutcome } from '../client/upstream-fault.ts'
import { readPayinMethodEntry, servedMethods, toPayinMethod } from '../wire/methods/wire-payin-method.ts'
import {
  type DatedPayinLink,
  type PayinLinkRequest,
  readCreatedPayinLink,
  toPayinLinkBody,
} from '../wire/payments/wire-payin-link.ts'
import { readEndpointUrl, readPaymentReport } from '../wire/payments/wire-payment.ts'
import { type RefundAnswer, readRefund, type WireRefundRequest, toRefundBody } from '../wire/payments/wire-refund.ts'
import { readEcho, readPage, unwrapped } from '../wire/values/wire-fields.ts'

/** An open map: the payments API does not publish its filters (gap sheet, section 5.3). */
type PayinLinkFilters = Readonly<Record<string, string | number | null | undefined>> & {
  /** `YYYY-MM-DDThh:mm:ss` in UTC. */
  readonly from_date?: string
  readonly to_date?: string
  /** Starts at 1. */
  readonly page?: number
  readonly per_page?: number
}

type ListedPayinLink = {
  readonly report: PaymentReport
  /** The link's webhook URL, by which a link whose creation got no answer is found. */
  readonly endpointUrl: string | null
  /** The same data as the answer to the creation; null if the list does not contain the checkout URL. */
  readonly link: DatedPayinLink | null
}

type PayinLinkPage = {
  readonly entries: readonly ListedPayinLink[]
  readonly page: number
  /** Null if the payments API does not provide it. */
  readonly totalPages: number | null
}

/** The v3 links (docs/payments-api.md, section 4.4). Every call rejects with an `UpstreamFault`. */
export type PayinLinkCalls = {
  /**
   * Creates a hosted checkout link. Sent at most once, unless the payments API was certainly not reached. Rejects with `mismatch`
   * if the answer repeats another amount, currency or webhook URL.
   */
  createPayinLink(site: Site, request: PayinLinkRequest): Promise<DatedPayinLink>
  /**
   * Returns the current state of a link's payment. Rejects with `unknown`, reason `mismatch`, if the answer is about another link
   * or in a currency that the site does not serve.
   */
  getPayinLink(site: Site, uuid: string): Promise<PaymentReport>
  /**
   * Returns one page of the merchant's links. Unreadable entries, and entries in a currency that the site does not serve, are
   * omitted.
   */
  listPayinLinks(site: Site, filters?: PayinLinkFilters): Promise<PayinLinkPage>
  /**
   * Asks for a refund, of the whole amount if `amount` is null. `uuid` is that of the link or of its payment. The bodies are not
   * published and are assumed to equal those of the v2 endpoint (gap sheet, section 5.5). Sent at most once.
   */
  refundPayinLink(site: Site, request: WireRefundRequest): Promise<RefundAnswer>
}

const PATH = '/v3/payin_links'

/** Creates the calls for v3 links: create, detail, list and refund. */
export function payinLinkCalls(transport: Transport): PayinLinkCalls {
  return {
    createPayinLink: async (site, request) => {
      const { value: amount, currency } = request.amount
      const { endpointUrl } = request.webhook
      requireServed(site, currency)
      const body = sendable(toPayinLinkBody(request))
      const { status, json, answeredAt } = await transport.request(site, { method: 'POST', path: PATH, body })
      const link = shaped(readCreatedPayinLink(json), status)
      requireMatch(repeats(readEcho(json), { currency, amount, endpointUrl }), status)
      return { ...link, answeredAt }
    },

    getPayinLink: async (site, uuid) => {
      requireUuid(uuid)
      const path = `${PATH}/${encodeURIComponent(uuid)}`
      const { status, json } = await transport.request(site, { method: 'GET', path })
      const report = shaped(readPaymentReport(unwrapped(json)), status)
      const foreign = report.linkId !== null && report.linkId !== uuid
      requireMatch(!foreign && isServed(site, report.details.currency), status)
      return report
    },

    listPayinLinks: async (site, filters = {}) => {
      const { status, json, answeredAt } = await transport.request(site, { method: 'GET', path: PATH, query: filters })
      const page = shaped(readPage(json), status)
      const entries = page.records.flatMap((record) => {
        const report = readPaymentReport(record)
        if (report === null || !isServed(site, report.details.currency)) return []
        const link = readCreatedPayinLink(record)
        return { report, endpointUrl: readEndpointUrl(record), link: link && { ...link, answeredAt } }
      })
      return { entries, page: page.page ?? filters.page ?? 1, totalPages: page.totalPages }
    },

    refundPayinLink: async (site, request) => {
      const body = sendable(toRefundBody(request))
      const { status, json } = await transport.request(site, { method: 'POST', path: `${PATH}/refund`, body })
      const answer = shaped(readRefund(json), status)
      const { report, refundAmount } = answer
      requireMatch(isAbout(request.uuid, answer) && isServed(site, report?.details.currency ?? null), status)
      requireMatch(isAmount(request.amount, refundAmount), status)
      return answer
    },
  }
}

/**
 * If a report has a link's uuid, the requested uuid must be that of its link or of its payment; a report without one is accepted.
 */
function isAbout(uuid: string, { report }: RefundAnswer): boolean {
  return report === null || report.linkId === null || [report.linkId, report.paymentId].includes(uuid)
}

export type PayinMethodCalls = {
  /**
   * Returns the methods that a site offers on the hosted page, in the payments API's order, without duplicate codes
   * (docs/payments-api.md, section 4.3). Entries without code or currency, or in a currency that the site does not serve, are
   * omitted. Rejects with an `UpstreamFault`.
   */
  listPayinMethods(site: Site): Promise<PayinMethod[]>
}

/** Creates the call for the v3 method list. */
export function payinMethodCalls(transport: Transport): PayinMethodCalls {
  return {
    listPayinMethods: async (site) => {
      const { status, json } = await transport.request(site, { method: 'GET', path: '/v3/payin_methods' })
      const page = readPage(json)
      if (page === null) throw unknownOutcome('misshapen', status)
      const methods = page.records.flatMap((record) => {
        const entry = readPayinMethodEntry(record)
        return entry === null ? [] : (toPayinMethod(entry, site.currencies, ['LINK']) ?? [])
      })
      return servedMethods(methods, site.currencies)
    },
  }
}
