import type { Lease, PayoutReadStore, PayoutReadSubject } from '../store/store.ts'
import type { Sites } from '../upstream/client/sites.ts'
import type { UpstreamClient } from '../upstream/client/upstream-client.ts'
import { notSent } from '../upstream/client/upstream-fault.ts'
import type { ReadSource } from './due-reader.ts'
import { siteName, siteNames } from './read-sites.ts'

export type PayoutReadOptions = {
  readonly reads: PayoutReadStore
  readonly upstream: Pick<UpstreamClient, 'getPayout'>
  readonly sites: Sites
  readonly clock: () => Date
}

/** Read source for payouts that are not at their end, or whose callbacks leave the state in doubt: one call each, at the recorded site. */
export function payoutReads({ reads, upstream, sites, clock }: PayoutReadOptions): ReadSource<PayoutReadSubject> {
  const siteOf = ({ payout }: PayoutReadSubject) => sites.byId(payout.site)

  const ask = async (subject: PayoutReadSubject, lease: Lease | null = null) => {
    const site = siteOf(subject)
    if (site === null) throw notSent('invalid-request', 'No credentials are configured for it.')
    return reads.record(subject, await upstream.getPayout(site, subject.payout.id), clock(), lease)
  }

  /** Concurrent queries share one result. */
  let looking: Promise<string[]> | null = null
  const readSitesNow = () => (looking ??= reads.sites().finally(() => (looking = null)))

  return {
    sites: siteNames(sites),
    due: async ({ site, readClass }, by, limit) => {
      const readSites = (await readSitesNow()).filter((id) => siteName(sites.byId(id)) === site)
      return reads.due({ readSites, readClass, by, limit })
    },
    nextDue: reads.nextDue,
    ask: (subject) => ask(subject),
    askPlanned: ask,
    again: ({ payout }) => reads.subject(payout.id),
    postpone: reads.postpone,
    failures: ({ failures }) => failures,
    dueAt: ({ dueAt }) => dueAt,
    site: (subject) => siteName(siteOf(subject)),
    key: ({ payout }) => payout.id,
    ids: ({ payout }) => ({ payoutId: payout.id }),
  }
}
