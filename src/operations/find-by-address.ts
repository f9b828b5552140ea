/** How far the service's clock may be from ours, with the longest call in between. */
const MARGIN_MS = 10 * 60_000
/** Pages that are looked through; the service gives 20 entries a page. */
const MOST_PAGES = 10

/** What the service lists, with the webhook address that it was made with. */
type Addressed = { readonly endpointUrl: string | null }

type ListedPage<Entry> = { readonly entries: readonly Entry[]; readonly totalPages: number | null }

export type AddressSearch = { readonly from: Date; readonly to: Date; readonly page: number }

/**
 * Finds what an attempt has made by the webhook address that was given with it, among what the service made around that
 * time. Null when it is not there; rejects with an `UpstreamFault` when the service does not answer.
 */
export async function findByAddress<Entry extends Addressed>(
  { address, sentAt }: { readonly address: string; readonly sentAt: number },
  list: (search: AddressSearch) => Promise<ListedPage<Entry>>,
): Promise<Entry | null> {
  const span = { from: new Date(sentAt - MARGIN_MS), to: new Date(sentAt + MARGIN_MS) }
  for (let page = 1; page <= MOST_PAGES; page++) {
    const { entries, totalPages } = await list({ ...span, page })
    const found = entries.find(({ endpointUrl }) => endpointUrl === address)
    if (found !== undefined) return found
    if (page >= (totalPages ?? 1)) return null
  }
  return null
}
