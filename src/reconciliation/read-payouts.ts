import type { Lease, PayoutReadStore, PayoutReadSubject } from '../store/store.ts'
import type { Sites } from '../upstream/client/sites.ts'
import type { UpstreamClient } from '../upstream/client/upstream-client.ts'
import type { ReadSource } from './due-reader.ts'
import { storedReads } from './stored-reads.ts'

export type PayoutReadOptions = {
  readonly reads: PayoutReadStore
  readonly upstream: Pick<UpstreamClient, 'getPayout'>
  readonly sites: Sites
  readonly clock: () => Date
}

/** Read source for payouts that are not at their end, or whose callbacks leave the state in doubt: one call each, at the recorded site. */
export function payoutReads({ reads, upstream, sites, clock }: PayoutReadOptions): ReadSource<PayoutReadSubject> {
  const { requireSite, ...source } = storedReads({
    reads,
    sites,
    siteToRead: sites.byId,
    siteOf: ({ payout }: PayoutReadSubject) => sites.byId(payout.site),
  })

  const ask = async (subject: PayoutReadSubject, lease: Lease | null = null) => {
    return reads.record(subject, await upstream.getPayout(requireSite(subject), subject.payout.id), clock(), lease)
  }

  return {
    ...source,
    ask: (subject) => ask(subject),
    askPlanned: ask,
    again: ({ payout }) => reads.subject(payout.id),
    key: ({ payout }) => payout.id,
    ids: ({ payout }) => ({ payoutId: payout.id }),
  }
}
