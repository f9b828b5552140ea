import type { AgreementReport } from '../domain/agreement-report.ts'
import type { UpstreamClient } from './client.ts'
import type { Site } from './sites.ts'

/** Pages that are looked through; the service gives 20 agreements a page. */
const MAX_PAGES = 10
const DAY_MS = 24 * 3_600_000
/** Clocks differ: the search begins a little before, and ends a little after. */
const MARGIN_MS = DAY_MS

type Wanted = {
  /** The merchant's id, or the service's: either finds it. */
  readonly clientTransactionId: string | null
  readonly id?: string
  readonly now: Date
  /** When it was made, where that is known; otherwise the last day counts. */
  readonly createdAt?: Date
}

/**
 * Finds an agreement among those of the service: there is no way to ask for one alone (gap sheet,
 * section 16). Null when it is not there; rejects with an `UpstreamFault` when the service does not answer.
 */
export async function findAgreement(
  upstream: Pick<UpstreamClient, 'searchAgreements'>,
  site: Site,
  { clientTransactionId, id, now, createdAt = now }: Wanted,
): Promise<AgreementReport | null> {
  const from = new Date(createdAt.getTime() - MARGIN_MS)
  const to = new Date(Math.min(createdAt.getTime() + MARGIN_MS, now.getTime() + MARGIN_MS))
  for (let page = 1; page <= MAX_PAGES; page++) {
    const found = await upstream.searchAgreements(site, { from, to, page })
    const match = found.reports.find(
      (report) =>
        report.id === id || (clientTransactionId !== null && report.clientTransactionId === clientTransactionId),
    )
    if (match !== undefined) return match
    if (found.nextPage === null) return null
  }
  return null
}
