import { type ExactJson, toPlainJson } from 'payments-subgraph-lib/exact-json'
import type { PayinMethod, MethodRequirements } from '../../domain/methods/payin-method.ts'
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
  requireMethodCode,
  spanQuery,
} from '../client/exchange-checks.ts'
import type { Site } from '../client/sites.ts'
import type { Transport } from '../client/transport.ts'
import { unknownOutcome } from '../upstream-fault.ts'
import { readAccepted, readEcho, readPage, toCancellationBody, unwrapped } from '../wire/values/wire-fields.ts'
import {
  readPayinMethodEntry,
  servedMethods,
  toPayinMethod,
  readDirectMethodEntry,
  readMethodRequirements,
} from '../wire/wire-payin-method.ts'
import {
  type DatedPayinLink,
  type PayinLinkRequest,
  readCreatedPayinLink,
  toPayinLinkBody,
  type RefundAnswer,
  readRefund,
  type WireRefundRequest,
  toRefundBody,
  type WirePayinRequest,
  type PayinSimulation,
  toPayinBody,
  toPayinSimulationBody,
} from '../wire/wire-payin-request.ts'
import { readEndpointUrl, readPaymentReport } from '../wire/wire-payment.ts'

/** An open map: the payments API does not publish its filters (gap sheet, section 5.3). */
type PayinLinkFilters = Readonly<Record<string, string | number | null | undefined>> & {
  /** `YYYY-MM-DDThh:mm:ss` in UTC. */
  readonly from_date?: string
  readonly to_date?: string
  /** Starts at 1. */
  readonly page?: number
  readonly per_page?: number
}

export type ListedPayinLink = {
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
  /** Returns one link as an entry of the list, whose page may omit fields. Rejects as `getPayinLink` does. */
  getPayinLinkEntry(site: Site, uuid: string): Promise<ListedPayinLink>
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

const LINKS_PATH = '/v3/payin_links'

/** Creates the calls for v3 links: create, detail, list and refund. */
export function payinLinkCalls(transport: Transport): PayinLinkCalls {
  const getEntry = async (site: Site, uuid: string): Promise<ListedPayinLink> => {
    requireUuid(uuid)
    const path = `${LINKS_PATH}/${encodeURIComponent(uuid)}`
    const { status, json, answeredAt } = await transport.request(site, { method: 'GET', path })
    const entry = shaped(readEntry(unwrapped(json), answeredAt), status)
    const { linkId, details } = entry.report
    requireMatch((linkId === null || linkId === uuid) && isServed(site, details.currency), status)
    return entry
  }

  return {
    createPayinLink: async (site, request) => {
      const { value: amount, currency } = request.amount
      const { endpointUrl } = request.webhook
      requireServed(site, currency)
      const body = sendable(toPayinLinkBody(request))
      const { status, json, answeredAt } = await transport.request(site, { method: 'POST', path: LINKS_PATH, body })
      const link = shaped(readCreatedPayinLink(json), status)
      requireMatch(repeats(readEcho(json), { currency, amount, endpointUrl }), status)
      return { ...link, answeredAt }
    },

    getPayinLink: async (site, uuid) => (await getEntry(site, uuid)).report,

    getPayinLinkEntry: getEntry,

    listPayinLinks: async (site, filters = {}) => {
      const { status, json, answeredAt } = await transport.request(site, {
        method: 'GET',
        path: LINKS_PATH,
        query: filters,
      })
      const page = shaped(readPage(json), status)
      const entries = page.records.flatMap((record) => {
        const entry = readEntry(record, answeredAt)
        return entry === null || !isServed(site, entry.report.details.currency) ? [] : entry
      })
      return { entries, page: page.page ?? filters.page ?? 1, totalPages: page.totalPages }
    },

    refundPayinLink: async (site, request) => {
      const body = sendable(toRefundBody(request))
      const { status, json } = await transport.request(site, { method: 'POST', path: `${LINKS_PATH}/refund`, body })
      const answer = shaped(readRefund(json), status)
      const { report, refundAmount } = answer
      requireMatch(isAbout(request.uuid, answer) && isServed(site, report?.details.currency ?? null), status)
      requireMatch(isAmount(request.amount, refundAmount), status)
      return answer
    },
  }
}

function readEntry(record: ExactJson, answeredAt: Date | null): ListedPayinLink | null {
  const report = readPaymentReport(record)
  if (report === null) return null
  const link = readCreatedPayinLink(record)
  return { report, endpointUrl: readEndpointUrl(record), link: link && { ...link, answeredAt } }
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

export type PayinSearch = {
  /** Whole seconds in UTC: `from` is rounded down, `to` up. */
  readonly from: Date
  readonly to: Date
  /** Starts at 1; a page has 20 payins. */
  readonly page: number
}

export type ListedPayin = {
  readonly report: PaymentReport
  /** The payin's webhook URL, by which a payin whose creation got no answer is found. */
  readonly endpointUrl: string | null
}

export type PayinPage = { readonly entries: readonly ListedPayin[]; readonly totalPages: number | null }

/** The v2 payins (docs/payments-api.md, section 4.5). Every call rejects with an `UpstreamFault`. */
export type PayinCalls = {
  /**
   * Returns the methods for payins without the hosted page, in the payments API's order, without duplicate codes (gap sheet,
   * section 7). Entries without a code, or in a currency that the site does not serve, are omitted.
   */
  listDirectPayinMethods(site: Site): Promise<PayinMethod[]>
  /** Returns the fields that the merchant has to collect for a method (gap sheet, section 8). */
  payinMethodFields(site: Site, code: string): Promise<MethodRequirements>
  /**
   * Creates a payin (gap sheet, section 9). The report's `instructions` say how the customer pays; for some methods they arrive
   * later, by webhook. Sent at most once, unless the payments API was certainly not reached. Rejects with `mismatch` if the
   * answer repeats another amount, currency or webhook URL.
   */
  createPayin(site: Site, request: WirePayinRequest): Promise<PaymentReport>
  /**
   * Returns the current state of a payin (gap sheet, section 10). Rejects with `mismatch` if the answer is about another payin.
   */
  getPayin(site: Site, uuid: string): Promise<PaymentReport>
  /**
   * Returns one page of the payins created in an interval (gap sheet, section 10). Unreadable entries, and entries in a currency
   * that the site does not serve, are omitted.
   */
  listPayins(site: Site, search: PayinSearch): Promise<PayinPage>
  /** Asks for a refund, of the whole amount if `amount` is null (gap sheet, section 12). Sent at most once. */
  refundPayin(site: Site, request: WireRefundRequest): Promise<RefundAnswer>
  /** Cancels a pending payin, at a path that is assumed (gap sheet, section 12). Sent at most once. */
  cancelPayin(site: Site, uuid: string): Promise<{ readonly statusRaw: string }>
  /** Makes the sandbox complete a pending payin, and returns the answer as plain JSON (gap sheet, section 11). */
  simulatePayin(site: Site, simulation: PayinSimulation): Promise<unknown>
}

const DIRECT_PATH = '/v2/payins'

/** Creates the calls for v2 payins. */
export function payinCalls(transport: Transport): PayinCalls {
  return {
    listDirectPayinMethods: async (site) => {
      const { status, json } = await transport.request(site, { method: 'GET', path: `${DIRECT_PATH}/payin_methods` })
      const methods = shaped(readPage(json), status).records.flatMap((record) => {
        const entry = readDirectMethodEntry(record, 'payin')
        return entry === null ? [] : (toPayinMethod(entry, site.currencies, ['DIRECT']) ?? [])
      })
      return servedMethods(methods, site.currencies)
    },

    payinMethodFields: async (site, code) => {
      requireMethodCode(code)
      const query = { payin_method_name: code }
      const { status, json } = await transport.request(site, {
        method: 'GET',
        path: `${DIRECT_PATH}/payin_method/params`,
        query,
      })
      const asked = { direction: 'payin', code, currencies: site.currencies } as const
      const requirements = shaped(readMethodRequirements(unwrapped(json), asked), status)
      requireMatch(requirements.code === code, status)
      return requirements
    },

    createPayin: async (site, request) => {
      requireServed(site, request.currency)
      const body = sendable(toPayinBody(request))
      const { status, json } = await transport.request(site, { method: 'POST', path: DIRECT_PATH, body })
      const report = shaped(readPaymentReport(unwrapped(json)), status)
      const { currency, amount, webhook } = request
      requireMatch(repeats(readEcho(unwrapped(json)), { currency, amount, endpointUrl: webhook.endpointUrl }), status)
      return report
    },

    getPayin: async (site, uuid) => {
      requireUuid(uuid)
      const { status, json } = await transport.request(site, {
        method: 'GET',
        path: `${DIRECT_PATH}/detail`,
        query: { uuid },
      })
      const report = shaped(readPaymentReport(unwrapped(json)), status)
      requireMatch(report.paymentId === uuid && isServed(site, report.details.currency), status)
      return report
    },

    listPayins: async (site, { page, ...span }) => {
      const query = { ...spanQuery(span), page }
      const { status, json } = await transport.request(site, { method: 'GET', path: `${DIRECT_PATH}/all`, query })
      const { records, totalPages } = shaped(readPage(json), status)
      const entries = records.flatMap((record) => {
        const report = readPaymentReport(record)
        if (report === null || !isServed(site, report.details.currency)) return []
        return { report, endpointUrl: readEndpointUrl(record) }
      })
      return { entries, totalPages }
    },

    refundPayin: async (site, request) => {
      const body = sendable(toRefundBody(request))
      const { status, json } = await transport.request(site, { method: 'POST', path: `${DIRECT_PATH}/refund`, body })
      const answer = shaped(readRefund(json), status)
      const { report, refundAmount } = answer
      requireMatch(isAmount(request.amount, refundAmount), status)
      requireMatch(
        report === null || (report.paymentId === request.uuid && isServed(site, report.details.currency)),
        status,
      )
      return answer
    },

    cancelPayin: async (site, uuid) => {
      const body = sendable(toCancellationBody(uuid))
      const { status, json } = await transport.request(site, { method: 'POST', path: site.paths.cancelPayin, body })
      return { statusRaw: shaped(readAccepted(json).status, status) }
    },

    simulatePayin: async (site, simulation) => {
      const body = sendable(toPayinSimulationBody(simulation))
      const { json } = await transport.request(site, { method: 'POST', path: `${DIRECT_PATH}/simulate`, body })
      return toPlainJson(json)
    },
  }
}
