import type { AgreementReport } from '../../domain/agreements/agreement-report.ts'
import type { Site } from '../client/sites.ts'
import type { UpstreamClient } from '../client/upstream-client.ts'
import { searchPages, type SearchSpan } from './search-pages.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** Distances from when it was made, nearest first: clocks differ, and the search is by the clock of the payments API. */
const DISTANCES_MS = [MINUTE_MS, HOUR_MS, DAY_MS]

type Wanted = {
  /** The merchant's id, or that of the payments API: either finds it. */
  readonly clientTransactionId: string | null
  readonly id?: string
  readonly now: Date
  /** When it was made, where that is known; otherwise it was made just now. */
  readonly createdAt?: Date
}

/**
 * Finds an agreement among those of the payments API: there is no way to ask for one alone (gap sheet, section 16). Null
 * when it is not there. Rejects with an `UpstreamFault` when the payments API does not answer, and with an
 * `IncompleteSearchError` when there are too many to look at.
 */
export async function findAgreement(
  upstream: Pick<UpstreamClient, 'searchAgreements'>,
  site: Site,
  { clientTransactionId, id, now, createdAt = now }: Wanted,
): Promise<AgreementReport | null> {
  return searchPages({
    spans: spansAround(createdAt.getTime(), now.getTime() + DAY_MS),
    list: async (search) => {
      const { reports, nextPage } = await upstream.searchAgreements(site, search)
      return { entries: reports, hasMore: nextPage !== null }
    },
    matches: (report) =>
      report.id === id || (clientTransactionId !== null && report.clientTransactionId === clientTransactionId),
  })
}

/** The middle first, then what lies further away, before it and after it; nothing beyond `latest`. */
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
