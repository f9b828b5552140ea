import { sumDecimals } from '../../domain/money/money.ts'
import type { PayoutMethod, PayoutMethodRequirements, PayoutReport } from '../../domain/payouts/payout-report.ts'
import {
  isV1,
  V1_METHOD,
  V1_METHOD_CODE,
  V1_REQUIREMENTS,
  v1PayoutNumber,
  V1_CURRENCY,
  v1PayoutId,
} from '../../domain/payouts/payout-rules.ts'
import {
  isServed,
  repeats,
  requireMatch,
  requireMethodCode,
  requireServed,
  requireUuid,
  sendable,
  shaped,
  spanQuery,
} from '../client/exchange-checks.ts'
import type { Site } from '../client/sites.ts'
import type { Transport } from '../client/transport.ts'
import { notSent } from '../upstream-fault.ts'
import { combinedPage, readAccepted, readPage, toCancellationBody, unwrapped } from '../wire/values/wire-fields.ts'
import { readMethodRequirements, servedMethods } from '../wire/wire-payin-method.ts'
import { type WirePayoutRequest, toPayoutBody, toV1PayoutBody } from '../wire/wire-payout-request.ts'
import { readBanks, readPayoutMethod, readPayoutReport, readV1PayoutReport } from '../wire/wire-payout.ts'

type PayoutSearch = {
  /** At most a year; whole seconds in UTC: `from` is rounded down, `to` up. */
  readonly from: Date
  readonly to: Date
  /** Starts at 1; a page has 20 batches. */
  readonly page: number
  /** The one list to read. Default: that of v2, and that of v1 where the site has it. */
  readonly version?: 'v1' | 'v2'
}

type WirePayoutPage = {
  readonly payouts: readonly PayoutReport[]
  readonly page: number
  readonly totalPages: number | null
  readonly totalCount: number | null
}

/** The payouts of v2 (gap sheet, sections 17 to 20), and those of v1 of sites that have them. Every call rejects with an `UpstreamFault`. */
export type PayoutCalls = {
  /**
   * Returns the methods of a site in the payments API's order, without duplicate codes; those in a currency that the site does
   * not serve are omitted. v1 payouts, which no list names, are its last one.
   */
  listPayoutMethods(site: Site): Promise<PayoutMethod[]>
  /** Returns the fields that the merchant has to collect for a method, and the banks that it supports. */
  payoutMethodFields(site: Site, code: string): Promise<PayoutMethodRequirements>
  /**
   * Creates a batch. Sent at most once, unless the payments API was certainly not reached. Rejects with `mismatch` if the answer
   * repeats another total, currency or webhook URL.
   */
  createPayout(site: Site, request: WirePayoutRequest): Promise<PayoutReport>
  /** Returns the current state of a batch. Rejects with `mismatch` if the answer is about another batch. */
  getPayout(site: Site, uuid: string): Promise<PayoutReport>
  /**
   * Returns one page of the batches created in an interval; of a site with v1 payouts, that page of both lists. Unreadable batches and those of
   * other accounts are omitted.
   */
  listPayouts(site: Site, search: PayoutSearch): Promise<WirePayoutPage>
  /**
   * Cancels a scheduled batch, and returns the status word of the answer, e.g. `ok`. The answer does not contain the batch's own
   * status: read the batch for it. Sent at most once.
   */
  cancelScheduledPayout(site: Site, uuid: string): Promise<{ readonly statusRaw: string }>
}

const PATH = '/v2/payouts'

/** Creates the calls for payouts. */
export function payoutCalls(transport: Transport): PayoutCalls {
  const v1 = v1PayoutCalls(transport)
  return {
    listPayoutMethods: async (site) => {
      const { status, json } = await transport.request(site, { method: 'GET', path: `${PATH}/payout_methods` })
      const { records } = shaped(readPage(json), status)
      const methods = records.flatMap((record) => readPayoutMethod(record, site.currencies) ?? [])
      return servedMethods(site.v1Payouts === null ? methods : [...methods, V1_METHOD], site.currencies)
    },

    payoutMethodFields: async (site, code) => {
      requireMethodCode(code)
      if (code === V1_METHOD_CODE) return V1_REQUIREMENTS
      const query = { payout_method_name: code }
      const path = `${PATH}/payout_method/params`
      const { status, json } = await transport.request(site, { method: 'GET', path, query })
      const asked = { direction: 'payout', code, currencies: site.currencies } as const
      const requirements = shaped(readMethodRequirements(unwrapped(json), asked), status)
      requireMatch(requirements.code === code, status)
      return { ...requirements, banks: readBanks(unwrapped(json)) }
    },

    createPayout: async (site, request) => {
      requireServed(site, request.currency)
      if (isV1(request)) return v1.create(site, request)
      const body = sendable(toPayoutBody(request))
      const { status, json } = await transport.request(site, { method: 'POST', path: PATH, body })
      const report = shaped(readPayoutReport(unwrapped(json)), status)
      const { currency, webhook } = request
      const echo = { currency: report.currency, amount: report.totalAmount, endpointUrl: report.endpointUrl }
      const amount = sumDecimals(request.transactions.map((transaction) => transaction.amount))
      requireMatch(repeats(echo, { currency, amount, endpointUrl: webhook.endpointUrl }), status)
      return report
    },

    getPayout: async (site, uuid) => {
      const number = v1PayoutNumber(uuid)
      if (number !== null) return v1.get(site, number)
      requireUuid(uuid)
      const { status, json } = await transport.request(site, { method: 'GET', path: `${PATH}/detail`, query: { uuid } })
      const report = shaped(readPayoutReport(unwrapped(json)), status)
      requireMatch(report.id === uuid && isServed(site, report.currency), status)
      return report
    },

    listPayouts: async (site, search) => {
      const { version = null } = search
      const hasV1 = version === 'v1' || (version === null && site.v1Payouts !== null)
      const pages = await Promise.all([
        ...(version === 'v1' ? [] : [listV2(transport, site, search)]),
        ...(hasV1 ? [v1.list(site, search)] : []),
      ])
      return { payouts: pages.flatMap(({ payouts }) => payouts), page: search.page, ...combinedPage(pages) }
    },

    cancelScheduledPayout: async (site, uuid) => {
      const body = sendable(toCancellationBody(uuid))
      const { status, json } = await transport.request(site, { method: 'POST', path: `${PATH}/cancel_scheduled`, body })
      return { statusRaw: shaped(readAccepted(json).status, status) }
    },
  }
}

async function listV2(transport: Transport, site: Site, { from, to, page }: PayoutSearch): Promise<WirePayoutPage> {
  const query = { ...spanQuery({ from, to }), page }
  const { status, json } = await transport.request(site, { method: 'GET', path: `${PATH}/all`, query })
  const { records, ...found } = shaped(readPage(json), status)
  const payouts = records.flatMap((record) => readPayoutReport(record) ?? [])
  return {
    payouts: payouts.filter((payout) => isServed(site, payout.currency)),
    page: found.page ?? page,
    totalPages: found.totalPages,
    totalCount: found.totalCount,
  }
}

const V1_PATH = '/v1/payouts'

/** The v1 payouts in AUD (gap sheet, section 20), each the counterpart of a call of `PayoutCalls`. */
export type V1PayoutCalls = {
  create(site: Site, request: WirePayoutRequest): Promise<PayoutReport>
  get(site: Site, number: string): Promise<PayoutReport>
  list(site: Site, search: PayoutSearch): Promise<WirePayoutPage>
}

/** Creates the calls for v1 payouts. */
function v1PayoutCalls(transport: Transport): V1PayoutCalls {
  return {
    create: async (site, request) => {
      const names = requireV1(site)
      const body = sendable(toV1PayoutBody(request, names))
      const { status, json } = await transport.request(site, { method: 'POST', path: V1_PATH, body })
      const report = shaped(readV1PayoutReport(unwrapped(json), names), status)
      const echo = { currency: report.currency, amount: report.totalAmount, endpointUrl: report.endpointUrl }
      const amount = sumDecimals(request.transactions.map((transaction) => transaction.amount))
      const { endpointUrl } = request.webhook
      requireMatch(repeats(echo, { currency: V1_CURRENCY, amount, endpointUrl }), status)
      return report
    },

    // Also at a site that does not pay out by v1 any more: its payouts go on.
    get: async (site, number) => {
      if (!isServed(site, V1_CURRENCY)) throw notSent('invalid-request', `Site ${site.id} has no payouts in AUD.`)
      const asked = { method: 'GET', path: `${V1_PATH}/detail`, query: { id: number } } as const
      const { status, json } = await transport.request(site, asked)
      const report = shaped(readV1PayoutReport(unwrapped(json), site.v1Payouts ?? undefined), status)
      requireMatch(report.id === v1PayoutId(number), status)
      return report
    },

    list: async (site, { from, to, page }) => {
      const names = site.v1Payouts ?? undefined
      const query = { ...spanQuery({ from, to }), page }
      const { status, json } = await transport.request(site, { method: 'GET', path: `${V1_PATH}/`, query })
      const { records, ...found } = shaped(readPage(json), status)
      return {
        payouts: records.flatMap((record) => readV1PayoutReport(record, names) ?? []),
        page: found.page ?? page,
        totalPages: found.totalPages,
        totalCount: found.totalCount,
      }
    },
  }
}

function requireV1({ id, v1Payouts }: Site) {
  if (v1Payouts === null) throw notSent('invalid-request', `Site ${id} does not pay out by v1.`)
  return v1Payouts
}
