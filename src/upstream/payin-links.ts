import type { ExactJson } from '../domain/exact-json.ts'
import type { PaymentReport } from '../domain/payment-report.ts'
import { notSent, unknownOutcome } from './faults.ts'
import type { Site } from './sites.ts'
import type { Transport } from './transport.ts'
import { isRecord, usableUuid } from './wire/fields.ts'
import { readPage } from './wire/page.ts'
import {
  type CreatedPayinLink,
  type PayinLinkRequest,
  readCreatedPayinLink,
  toPayinLinkBody,
} from './wire/payin-link.ts'
import { readEndpointUrl, readPaymentReport } from './wire/payment.ts'

/** An open map: the service does not publish its filters (gap sheet, section 5.3). */
export type PayinLinkFilters = Readonly<Record<string, string | number | null | undefined>> & {
  /** `YYYY-MM-DDThh:mm:ss` in UTC. */
  readonly from_date?: string
  readonly to_date?: string
  /** From 1. */
  readonly page?: number
  readonly per_page?: number
}

export type ListedPayinLink = {
  readonly report: PaymentReport
  /** The webhook address that we gave the link, by which a link whose creation was not answered is found again. */
  readonly endpointUrl: string | null
  /** What the answer to its creation would have told; null where the list does not tell the checkout address. */
  readonly link: CreatedPayinLink | null
}

export type PayinLinkPage = {
  readonly entries: readonly ListedPayinLink[]
  readonly page: number
  /** Null where the service does not tell. */
  readonly totalPages: number | null
}

/** The v3 links (interface document, section 4.4). Every call rejects with an `UpstreamFault`. */
export type PayinLinkCalls = {
  /** Makes a hosted checkout link. Sent at most once, unless it is certain that the service was never reached. */
  createPayinLink(site: Site, request: PayinLinkRequest): Promise<CreatedPayinLink>
  /**
   * What the service says now of a link's payment. An answer about another link, or in a currency that the site does not
   * serve, is somebody else's, and rejected as `unknown`, reason `mismatch`.
   */
  getPayinLink(site: Site, uuid: string): Promise<PaymentReport>
  /** One page of the merchant's links. Entries that cannot be read, or in another currency than the site's, are left out. */
  listPayinLinks(site: Site, filters?: PayinLinkFilters): Promise<PayinLinkPage>
}

const PATH = '/v3/payin_links'

/** Create, detail and list of the v3 links over a transport. */
export function payinLinkCalls(transport: Transport): PayinLinkCalls {
  return {
    createPayinLink: async (site, request) => {
      if (!site.currencies.includes(request.amount.currency))
        throw notSent('invalid-request', `Site ${site.id} does not serve the currency of the amount.`)
      const written = toPayinLinkBody(request)
      if ('faults' in written) throw notSent('invalid-request', `Wrong in it: ${written.faults.join(', ')}.`)
      const { status, json } = await transport.request(site, { method: 'POST', path: PATH, body: written.body })
      const link = readCreatedPayinLink(json)
      if (link === null) throw unknownOutcome('misshapen', status)
      return link
    },

    getPayinLink: async (site, uuid) => {
      if (usableUuid(uuid) === null) throw notSent('invalid-request', 'The uuid is not one of the service.')
      const path = `${PATH}/${encodeURIComponent(uuid)}`
      const { status, json } = await transport.request(site, { method: 'GET', path })
      const report = readPaymentReport(unwrapped(json))
      if (report === null) throw unknownOutcome('misshapen', status)
      const foreign = report.linkId !== null && report.linkId !== uuid
      if (foreign || !inCurrencyOf(site, report)) throw unknownOutcome('mismatch', status)
      return report
    },

    listPayinLinks: async (site, filters = {}) => {
      const { status, json } = await transport.request(site, { method: 'GET', path: PATH, query: filters })
      const page = readPage(json)
      if (page === null) throw unknownOutcome('misshapen', status)
      const entries = page.records.flatMap((record) => {
        const report = readPaymentReport(record)
        if (report === null || !inCurrencyOf(site, report)) return []
        return { report, endpointUrl: readEndpointUrl(record), link: readCreatedPayinLink(record) }
      })
      return { entries, page: page.page ?? filters.page ?? 1, totalPages: page.totalPages }
    },
  }
}

/** Some siblings of the detail answer hold the record under a key of its own (gap sheet, section 8). */
function unwrapped(json: ExactJson): ExactJson {
  return isRecord(json) && !('uuid' in json) && isRecord(json['record']) ? json['record'] : json
}

function inCurrencyOf(site: Site, { details }: PaymentReport): boolean {
  return details.currency === null || site.currencies.includes(details.currency)
}
