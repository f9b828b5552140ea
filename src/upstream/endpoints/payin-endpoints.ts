import type { MethodRequirements, PayinMethod } from '../../domain/methods/payin-method.ts'
import type { PaymentReport } from '../../domain/payments/payment-report.ts'
import { toPlainJson } from '../../lib/exact-json.ts'
import {
  isAmount,
  isServed,
  repeats,
  requireMatch,
  requireMethodCode,
  requireServed,
  requireUuid,
  sendable,
  shaped,
  spanQuery,
} from '../client/assertions.ts'
import type { Site } from '../client/sites.ts'
import type { Transport } from '../client/transport.ts'
import { readDirectMethodEntry, readMethodRequirements } from '../wire/methods/direct-method.ts'
import { servedMethods, toPayinMethod } from '../wire/methods/wire-payin-method.ts'
import {
  type WirePayinRequest,
  type PayinSimulation,
  toPayinBody,
  toPayinSimulationBody,
} from '../wire/payments/wire-payin-request.ts'
import { readEndpointUrl, readPaymentReport } from '../wire/payments/wire-payment.ts'
import { type RefundAnswer, readRefund, type WireRefundRequest, toRefundBody } from '../wire/payments/wire-refund.ts'
import { readEcho, readPage, unwrapped } from '../wire/values/wire-fields.ts'

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
  /** Makes the sandbox complete a pending payin, and returns the answer as plain JSON (gap sheet, section 11). */
  simulatePayin(site: Site, simulation: PayinSimulation): Promise<unknown>
}

const PATH = '/v2/payins'

/** Creates the calls for v2 payins. */
export function payinCalls(transport: Transport): PayinCalls {
  return {
    listDirectPayinMethods: async (site) => {
      const { status, json } = await transport.request(site, { method: 'GET', path: `${PATH}/payin_methods` })
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
        path: `${PATH}/payin_method/params`,
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
      const { status, json } = await transport.request(site, { method: 'POST', path: PATH, body })
      const report = shaped(readPaymentReport(unwrapped(json)), status)
      const { currency, amount, webhook } = request
      requireMatch(repeats(readEcho(unwrapped(json)), { currency, amount, endpointUrl: webhook.endpointUrl }), status)
      return report
    },

    getPayin: async (site, uuid) => {
      requireUuid(uuid)
      const { status, json } = await transport.request(site, { method: 'GET', path: `${PATH}/detail`, query: { uuid } })
      const report = shaped(readPaymentReport(unwrapped(json)), status)
      requireMatch(report.paymentId === uuid && isServed(site, report.details.currency), status)
      return report
    },

    listPayins: async (site, { page, ...span }) => {
      const query = { ...spanQuery(span), page }
      const { status, json } = await transport.request(site, { method: 'GET', path: `${PATH}/all`, query })
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
      const { status, json } = await transport.request(site, { method: 'POST', path: `${PATH}/refund`, body })
      const answer = shaped(readRefund(json), status)
      const { report, refundAmount } = answer
      requireMatch(isAmount(request.amount, refundAmount), status)
      requireMatch(
        report === null || (report.paymentId === request.uuid && isServed(site, report.details.currency)),
        status,
      )
      return answer
    },

    simulatePayin: async (site, simulation) => {
      const body = sendable(toPayinSimulationBody(simulation))
      const { json } = await transport.request(site, { method: 'POST', path: `${PATH}/simulate`, body })
      return toPlainJson(json)
    },
  }
}
