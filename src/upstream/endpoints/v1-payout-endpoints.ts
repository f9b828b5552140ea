import { sumDecimals } from '../../domain/money/money.ts'
import type { PayoutReport } from '../../domain/payouts/payout-report.ts'
import { V1_CURRENCY, v1PayoutId } from '../../domain/payouts/payout-rules.ts'
import { isServed, repeats, requireMatch, sendable, shaped, spanQuery } from '../client/assertions.ts'
import type { Site } from '../client/sites.ts'
import type { Transport } from '../client/transport.ts'
import { notSent } from '../client/upstream-fault.ts'
import type { WirePayoutRequest } from '../wire/payouts/wire-payout-request.ts'
import { readV1PayoutReport } from '../wire/payouts/wire-payout.ts'
import { toV1PayoutBody } from '../wire/payouts/wire-v1-payout-request.ts'
import { readPage, unwrapped } from '../wire/values/wire-fields.ts'
import type { PayoutSearch, WirePayoutPage } from './payout-endpoints.ts'

const PATH = '/v1/payouts'

/** The v1 payouts in AUD (gap sheet, section 20), each the counterpart of a call of `PayoutCalls`. */
export type V1PayoutCalls = {
  create(site: Site, request: WirePayoutRequest): Promise<PayoutReport>
  get(site: Site, number: string): Promise<PayoutReport>
  list(site: Site, search: PayoutSearch): Promise<WirePayoutPage>
}

/** Creates the calls for v1 payouts. */
export function v1PayoutCalls(transport: Transport): V1PayoutCalls {
  return {
    create: async (site, request) => {
      const names = requireV1(site)
      const body = sendable(toV1PayoutBody(request, names))
      const { status, json } = await transport.request(site, { method: 'POST', path: PATH, body })
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
      const asked = { method: 'GET', path: `${PATH}/detail`, query: { id: number } } as const
      const { status, json } = await transport.request(site, asked)
      const report = shaped(readV1PayoutReport(unwrapped(json), site.v1Payouts ?? undefined), status)
      requireMatch(report.id === v1PayoutId(number), status)
      return report
    },

    list: async (site, { from, to, page }) => {
      const names = site.v1Payouts ?? undefined
      const query = { ...spanQuery({ from, to }), page }
      const { status, json } = await transport.request(site, { method: 'GET', path: `${PATH}/`, query })
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
