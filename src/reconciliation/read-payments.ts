import { attributeRead } from '../domain/payments/attribution.ts'
import type { Lease, ReadStore, ReadSubject } from '../store/store.ts'
import type { Sites } from '../upstream/client/sites.ts'
import type { UpstreamClient } from '../upstream/client/upstream-client.ts'
import type { ReadSource } from './due-reader.ts'
import type { ListedReads } from './listed-reads.ts'
import { MisattributedReadError } from './misattributed-read.ts'
import { linkIdOf, siteOfSubject, siteToRead } from './read-sites.ts'
import { storedReads } from './stored-reads.ts'

export type PaymentReadOptions = {
  readonly reads: ReadStore
  readonly upstream: Pick<UpstreamClient, 'getPayinLink' | 'getPayin'>
  readonly sites: Sites
  readonly clock: () => Date
  /** Null if each subject is read by itself. */
  readonly lists: ListedReads | null
}

/** Read source for payments whose deliveries contradict each other, and for expired links. */
export function paymentReads({ reads, upstream, sites, clock, lists }: PaymentReadOptions): ReadSource<ReadSubject> {
  const siteOf = (subject: ReadSubject) => siteOfSubject(sites, subject)
  const { requireSite, ...source } = storedReads({
    reads,
    sites,
    siteToRead: (readSite) => siteToRead(sites, readSite),
    siteOf,
  })

  /**
   * A link is read with the credentials that made it. A payment without a link of ours is read as a direct payin or, if its reports name a
   * link that was made elsewhere, through that link.
   */
  const reportOn = async (subject: ReadSubject) => {
    const site = requireSite(subject)
    const linkId = linkIdOf(subject)
    return linkId === null ? upstream.getPayin(site, subject.paymentId ?? '') : upstream.getPayinLink(site, linkId)
  }

  const ask = async (subject: ReadSubject, lease: Lease | null = null) => {
    const report = attributeRead(subject, await reportOn(subject))
    if (report === null) throw new MisattributedReadError()
    return reads.record(subject, report, clock(), lease)
  }

  return {
    ...source,
    ask: (subject) => ask(subject),
    askPlanned: async (subject, lease) => {
      const site = siteOf(subject)
      const outcome = site === null || lists === null ? null : await lists.read(subject, site, lease)
      return outcome ?? ask(subject, lease)
    },
    again: ({ paymentId, link }) => reads.subject(paymentId ?? link?.id ?? ''),
    key: ({ paymentId, link }) => paymentId ?? link?.id ?? '',
    ids: ({ paymentId, link }) => ({ paymentId, linkId: link?.id }),
  }
}
