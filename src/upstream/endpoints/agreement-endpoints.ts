import type { AgreementReport } from '../../domain/agreements/agreement-report.ts'
import { isAmount, requireMatch, requireServed, sendable, shaped, spanQuery } from '../client/assertions.ts'
import type { Site } from '../client/sites.ts'
import type { Transport } from '../client/transport.ts'
import {
  type AgreementAmendment,
  type WireAgreementRequest,
  type AgreementStatusRequest,
  toAgreementBody,
  toAmendmentBody,
  toStatusChangeBody,
} from '../wire/agreements/wire-agreement-request.ts'
import { readAgreementReport } from '../wire/agreements/wire-agreement.ts'
import { readEndpointUrl } from '../wire/payments/wire-payment.ts'
import { readPage } from '../wire/values/wire-fields.ts'

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
