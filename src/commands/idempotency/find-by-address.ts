import { searchPages, type SearchProgress, type SearchSpan } from '../../upstream/endpoints/search-pages.ts'

const MINUTE_MS = 60_000
/** How far the clock of the payments API may be from ours, with the longest call in between. */
const MARGIN_MS = 10 * MINUTE_MS
/** Where it is nearly always found: clocks that are set right, and a call that was answered, or timed out. */
const NEAR_MS = { before: MINUTE_MS, after: 2 * MINUTE_MS }

/** What the payments API lists, with the webhook address that it was made with. */
type Addressed = { readonly endpointUrl: string | null }

type ListedPage<Entry> = { readonly entries: readonly Entry[]; readonly totalPages: number | null }

export type AddressSearch = { readonly from: Date; readonly to: Date; readonly page: number }

/** Where searches ended that were cut short, by webhook address. */
export type AddressSearches = Map<string, SearchProgress>

/** Searches that are remembered. */
const MOST_SEARCHES = 1_000

type Attempt = {
  readonly address: string
  /** Milliseconds since the epoch. */
  readonly sentAt: number
  readonly now: number
  readonly searches: AddressSearches
}

/**
 * Finds what an attempt has made by the webhook address that was given with it, among what the payments API made around
 * that time. Null when it is not there; rejects with an `UpstreamFault` when the payments API does not answer, and with an
 * `IncompleteSearchError` when there is too much to look at: the next search goes on where this one ended.
 */
export async function findByAddress<Entry extends Addressed>(
  { address, sentAt, now, searches }: Attempt,
  list: (search: AddressSearch) => Promise<ListedPage<Entry>>,
): Promise<Entry | null> {
  const progress = searches.get(address) ?? { span: 0, page: 1 }
  if (searches.size >= MOST_SEARCHES) searches.clear()
  // Until the call must have ended, what was looked at already may not be all that will be listed there.
  if (now > sentAt + NEAR_MS.after) searches.set(address, progress)
  const found = await searchPages({
    spans: spansAround(sentAt),
    list: async (search) => {
      const { entries, totalPages } = await list(search)
      return { entries, hasMore: totalPages === null ? null : search.page < totalPages }
    },
    matches: ({ endpointUrl }) => endpointUrl === address,
    progress,
  })
  // Everything was looked at: what is listed later is found by a search from the start.
  searches.delete(address)
  return found
}

function spansAround(sentAt: number): SearchSpan[] {
  const span = (from: number, to: number) => ({ from: new Date(sentAt + from), to: new Date(sentAt + to) })
  return [span(-NEAR_MS.before, NEAR_MS.after), span(NEAR_MS.after, MARGIN_MS), span(-MARGIN_MS, -NEAR_MS.before)]
}
