/** Spans of time, one after the other, and how far each has been searched. */
export type SearchProgress = { span: number; page: number }

export type SearchSpan = { readonly from: Date; readonly to: Date }

type ListedPage<Entry> = { readonly entries: readonly Entry[]; readonly hasMore: boolean | null }

export type PageSearch<Entry> = {
  /** The likeliest first. */
  readonly spans: readonly SearchSpan[]
  readonly list: (search: SearchSpan & { readonly page: number }) => Promise<ListedPage<Entry>>
  readonly matches: (entry: Entry) => boolean
  /** Where an earlier search ended; it is moved on. */
  readonly progress?: SearchProgress
  /** Milliseconds that never go back. Default: the system's. */
  readonly now?: () => number
}

/** A search that ended before everything was looked at: what it looks for may be there, or not. */
export class IncompleteSearchError extends Error {
  override name = 'IncompleteSearchError'
  readonly safeMessage = true

  constructor() {
    super('The lists of the payments API are longer than one search may take.')
  }
}

/** One search takes no more pages and no longer than this. */
const MOST_PAGES = 100
const LONGEST_MS = 10_000

/**
 * Follows the pages of a list through spans of time until an entry matches. Null when every page of every span was looked
 * at. Throws `IncompleteSearchError` when pages or time run out before; with `progress` the next search goes on there.
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
    // Where the payments API tells of no further page, one that is empty, or the same again, is the end.
    const shown = JSON.stringify(entries)
    const goesOn = hasMore ?? (entries.length > 0 && shown !== before)
    before = shown
    if (goesOn) progress.page += 1
    else Object.assign(progress, { span: progress.span + 1, page: 1 })
  }
  return null
}
