import type { MethodRequirements } from '../../domain/methods/method-field.ts'
import type { PayinMethod } from '../../domain/methods/payin-method.ts'
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
import { type RefundAnswer, readRefund, type WireRefundRequest, toRefundBody } from '../wire/payments/refund.ts'
import {
  type WirePayinRequest,
  type PayinSimulation,
  toPayinBody,
  toPayinSimulationBody,
} from '../wire/payments/wire-payin-request.ts'
import { readEndpointUrl, readPaymentReport } from '../wire/payments/wire-payment.ts'
import { readEcho } from '../wire/values/response-echo.ts'
import { readPage, unwrapped } from '../wire/values/wire-page.ts'

export type PayinSearch = {
  /** Whole seconds in UTC: `from` is rounded down, `to` up. */
  readonly from: Date
  readonly to: Date
  /** From 1; a page has 20 payins. */
  readonly page: number
}

export type ListedPayin = {
  readonly report: PaymentReport
  /** The webhook address that we gave the payin, by which one whose creation was not answered is found again. */
  readonly endpointUrl: string | null
}

export type PayinPage = { readonly entries: readonly ListedPayin[]; readonly totalPages: number | null }

/** The v2 payins (docs/payments-api.md, section 4.5). Every call rejects with an `UpstreamFault`. */
export type PayinCalls = {
  /**
   * The methods for payins without the hosted page, in the payments API's order, each code once (gap sheet, section 7).
   * Entries without a code, or in a currency that the site does not serve, are left out.
   */
  listDirectPayinMethods(site: Site): Promise<PayinMethod[]>
  /** What the merchant collects for a method (gap sheet, section 8). */
  payinMethodFields(site: Site, code: string): Promise<MethodRequirements>
  /**
   * Makes a payin (gap sheet, section 9). How the customer pays stands in the report's `instructions`; for some methods it
   * comes later, by webhook. Sent at most once, unless it is certain that the payments API was never reached. An answer that
   * repeats another amount, currency or webhook address is rejected as `mismatch`.
   */
  createPayin(site: Site, request: WirePayinRequest): Promise<PaymentReport>
  /** What the payments API says now of a payin (gap sheet, section 10). An answer about another is rejected as `mismatch`. */
  getPayin(site: Site, uuid: string): Promise<PaymentReport>
  /**
   * One page of the payins made in a span of time (gap sheet, section 10). Entries that cannot be read, or in another
   * currency than the site's, are left out.
   */
  listPayins(site: Site, search: PayinSearch): Promise<PayinPage>
  /** Asks for money to go back, all of it where `amount` is null (gap sheet, section 12). Sent at most once. */
  refundPayin(site: Site, request: WireRefundRequest): Promise<RefundAnswer>
  /** Has the sandbox end a pending payin, and gives its answer as it came, as plain JSON (gap sheet, section 11). */
  simulatePayin(site: Site, simulation: PayinSimulation): Promise<unknown>
}

const PATH = '/v2/payins'

/** The v2 payins over a transport. */
export function payinCalls(transport: Transport): PayinCalls {
  return {
    listDirectPayinMethods: async (site) => {
      const { status, json } = await transport.request(site, { method: 'GET', path: `${PATH}/payin_methods` })
      const methods = shaped(readPage(json), status).records.flatMap((record) => {
        const entry = readDirectMethodEntry(record, 'payin')
        return entry === null ? [] : (toPayinMethod(entry, site.currencies) ?? [])
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
