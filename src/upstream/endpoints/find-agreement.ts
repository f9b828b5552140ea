import type { AgreementReport } from '../../domain/agreements/agreement-report.ts'
import type { Site } from '../client/sites.ts'
import type { UpstreamClient } from '../client/upstream-client.ts'
import { searchPages, type SearchSpan } from './search-pages.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** Distances from the creation time, searched in this order: clocks differ, and the search uses the clock of the payments API. */
const DISTANCES_MS = [MINUTE_MS, HOUR_MS, DAY_MS]

type Wanted = {
  /** The merchant's id or the payments API's id; either one is enough. */
  readonly clientTransactionId: string | null
  readonly id?: string
  readonly now: Date
  /** Creation time; by default now. */
  readonly createdAt?: Date
}

/**
 * Finds an agreement in the agreement list, since the payments API cannot read a single one (gap sheet, section 16). Returns null
 * if it is not there. Rejects with an `UpstreamFault` if the payments API does not answer, and with an `IncompleteSearchError` if
 * there are too many entries.
 */
export async function findAgreement(
  upstream: Pick<UpstreamClient, 'searchAgreements'>,
  site: Site,
  { clientTransactionId, id, now, createdAt = now }: Wanted,
): Promise<AgreementReport | null> {
  const found = await searchPages({
    spans: spansAround(createdAt.getTime(), now.getTime() + DAY_MS),
    list: async (search) => {
      const { entries, nextPage } = await upstream.searchAgreements(site, search)
      return { entries, hasMore: nextPage !== null }
    },
    matches: ({ report }) =>
      report.id === id || (clientTransactionId !== null && report.clientTransactionId === clientTransactionId),
  })
  return found?.report ?? null
}

/** Returns the interval around `middle` first, then the intervals before and after it, outwards; none goes beyond `latest`. */
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
