import { LRUCache } from 'lru-cache'
import type { PayoutReport } from '../domain/payouts/payout-report.ts'
import type { Payout } from '../domain/payouts/payout.ts'
import type { Store } from '../ledger/store.ts'
import type { Site, Sites } from '../upstream/client/sites.ts'
import type { UpstreamClient } from '../upstream/upstream-client.ts'
import { combinedPage } from '../upstream/wire/values/wire-fields.ts'
import { fromAllSites, sitesAsked, type ReadFailure, faultOf, nothingDone } from './operation-outcome.ts'

type NotFound = ReadFailure

/** A payout of the payments API, and the site that pays it. */
type ReadPayout = { readonly kind: 'done'; readonly payout: PayoutReport; readonly site: Site } | NotFound

export type PayoutLookup = ({ readonly kind: 'done' } & SitedPayout) | NotFound

export type PayoutFinder = {
  /**
   * Returns payouts as they are recorded; those that are not are read from the payments API. Results are in the order of the ids.
   */
  find(ids: readonly string[]): Promise<readonly PayoutLookup[]>
  /** Reads one payout from the payments API, also if it is recorded. */
  read(id: string): Promise<ReadPayout>
}

type FinderOptions = {
  readonly store: Pick<Store, 'payouts'>
  readonly upstream: Pick<UpstreamClient, 'getPayout'>
  readonly sites: Sites
}

/** Maximum number of remembered sites of payouts that were not made here; an entry takes about 150 bytes. */
const MAX_REMEMBERED = 10_000

/**
 * Creates the payout finder. The id of a payout that is not recorded does not name its site, and the payments API reads one payout of one site per call.
 * The recorded or remembered site is tried first. For the other ids, all sites are tried for the first id, and the site that has
 * it is tried first for the rest. A payout counts as not found only if every site says so.
 */
export function createPayoutFinder({ store, upstream, sites }: FinderOptions): PayoutFinder {
  const remembered = new LRUCache<string, string>({ max: MAX_REMEMBERED })

  const remember = (found: ReadPayout, id: string): ReadPayout => {
    if (found.kind === 'done') remembered.set(id, found.site.id)
    return found
  }

  const read = async (site: Site, id: string): Promise<ReadPayout> => {
    try {
      return remember({ kind: 'done', payout: await upstream.getPayout(site, id), site }, id)
    } catch (error) {
      return absent(error, site)
    }
  }

  /** Tries the likely site, then all others in parallel. */
  const search = async (id: string, likely: Site | null): Promise<ReadPayout> => {
    const first = likely === null ? null : await read(likely, id)
    if (first?.kind === 'done') return first
    const others = await Promise.all(sites.all.filter((site) => site !== likely).map((site) => read(site, id)))
    const answers = first === null ? others : [first, ...others]
    const found = answers.find((answer) => answer.kind === 'done')
    return found ?? answers.find((answer) => answer.kind !== 'not-found') ?? { kind: 'not-found' }
  }

  const readKnown = async (id: string, site: Site): Promise<ReadPayout> => {
    const found = await read(site, id)
    return found.kind === 'not-found' ? search(id, site) : found
  }

  const searchAll = async (ids: readonly string[]): Promise<readonly ReadPayout[]> => {
    const [first, ...rest] = ids
    if (first === undefined) return []
    const found = await search(first, null)
    const likely = found.kind === 'done' ? found.site : null
    return [found, ...(await Promise.all(rest.map((id) => search(id, likely))))]
  }

  const readAll = async (ids: readonly string[]) => {
    const siteOf = (id: string): Site | null => sites.byId(remembered.get(id) ?? '')
    const unknown = [...new Set(ids.filter((id) => siteOf(id) === null))]
    const searched = searchAll(unknown)
    return Promise.all(
      ids.map(async (id): Promise<ReadPayout> => {
        const site = siteOf(id)
        if (site !== null) return readKnown(id, site)
        return (await searched)[unknown.indexOf(id)] ?? { kind: 'not-found' }
      }),
    )
  }

  return {
    async find(ids) {
      const recorded = new Map((await store.payouts.byIds(ids)).map((payout) => [payout.id, payout]))
      const others = ids.filter((id) => !recorded.has(id))
      const found = await readAll(others)
      const readById = new Map(others.map((id, index) => [id, found[index]]))
      return ids.map((id) => {
        const payout = recorded.get(id)
        if (payout !== undefined) return { kind: 'done', payout, currencies: sites.byId(payout.site)?.currencies ?? [] }
        const answer = readById.get(id) ?? { kind: 'not-found' }
        if (answer.kind !== 'done') return answer
        return { kind: 'done', payout: answer.payout, currencies: answer.site.currencies }
      })
    },
    async read(id) {
      const [recorded] = await store.payouts.byIds([id])
      const site = sites.byId(recorded?.site ?? '')
      return site === null ? ((await readAll([id]))[0] ?? { kind: 'not-found' }) : readKnown(id, site)
    },
  }
}

/**
 * A site that refuses the id does not have the payout: the payments API documents 400 and 422 beside 404 for it. An id with an
 * invalid form is never sent and counts as not found.
 */
function absent(error: unknown, site: Site): NotFound {
  const fault = faultOf(error)
  if (fault === null) throw error
  if (fault.kind === 'not-sent' && fault.reason === 'invalid-request') return { kind: 'not-found' }
  return fault.kind === 'refused' ? { kind: 'not-found' } : nothingDone(fault, site.id)
}

/** A payout and the currencies of the site whose account pays it. */
export type SitedPayout = { readonly payout: Payout | PayoutReport; readonly currencies: readonly string[] }

type PayoutPage = {
  readonly payouts: readonly SitedPayout[]
  readonly totalPages: number | null
  readonly totalCount: number | null
}

export type PayoutList = { readonly kind: 'done'; readonly page: PayoutPage } | ReadFailure

type ListOptions = { readonly upstream: Pick<UpstreamClient, 'listPayouts'>; readonly sites: Sites }

/**
 * Returns one page of the payouts of one currency's site, or that page of every site. If any site does not answer, returns its
 * failure: a list with a gap would look complete.
 */
export async function listPayouts(
  { upstream, sites }: ListOptions,
  { from, to, page, currency }: { from: Date; to: Date; page: number; currency: string | null },
): Promise<PayoutList> {
  const answers = await fromAllSites(sitesAsked(sites, currency), (site) =>
    upstream.listPayouts(site, { from, to, page }),
  )
  if (!Array.isArray(answers)) return answers
  const payouts = answers.flatMap(({ site, answer }) =>
    answer.payouts.map((payout) => ({ payout, currencies: site.currencies })),
  )
  return { kind: 'done', page: { payouts, ...combinedPage(answers.map(({ answer }) => answer)) } }
}
