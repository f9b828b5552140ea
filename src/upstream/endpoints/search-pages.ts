/** Position in a search: the interval and the page. */
export type SearchProgress = { span: number; page: number }

export type SearchSpan = { readonly from: Date; readonly to: Date }

type ListedPage<Entry> = { readonly entries: readonly Entry[]; readonly hasMore: boolean | null }

export type PageSearch<Entry> = {
  /** Intervals to search, the most likely first. */
  readonly spans: readonly SearchSpan[]
  readonly list: (search: SearchSpan & { readonly page: number }) => Promise<ListedPage<Entry>>
  readonly matches: (entry: Entry) => boolean
  /** Where an earlier search ended; it is updated. */
  readonly progress?: SearchProgress
  /** Monotonic milliseconds. Default: the system clock. */
  readonly now?: () => number
}

/** The search ended before all entries were seen: the entry may or may not exist. */
export class IncompleteSearchError extends Error {
  override name = 'IncompleteSearchError'
  readonly safeMessage = true

  constructor() {
    super('The lists of the payments API are longer than one search may take.')
  }
}

/** Limits of one search. */
const MOST_PAGES = 100
const LONGEST_MS = 10_000

/**
 * Reads the pages of a list, interval by interval, until an entry matches. Returns null if all pages were read. Throws
 * `IncompleteSearchError` if the page or time limit is reached first; with `progress`, the next search continues there.
 */
export async function searchPages<Entry>(search: PageSearch<Entry>): Promise<Entry | null> {
  const { spans, list, matches, progress = { span: 0, page: 1 }, now = () => performance.now() } = search
  const begun = now()
  let before = ''
  for (let pages = 0; progress.span < spans.length; pages++) {
    const span = spans[progress.span]
    if (span === undefined) break
    if (pages >= MOST_PAGES || now() - begun > LONGEST_MS) throw new IncompleteSearchError()
    const { entries, hasMore } = await list({ ...span, page: progress.page })
    const found = entries.find(matches)
    if (found !== undefined) return found
    // If the payments API does not say whether there is another page, an empty or repeated page is the end.
    const shown = JSON.stringify(entries)
    const goesOn = hasMore ?? (entries.length > 0 && shown !== before)
    before = shown
    if (goesOn) progress.page += 1
    else Object.assign(progress, { span: progress.span + 1, page: 1 })
  }
  return null
}
