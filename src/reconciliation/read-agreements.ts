import type { AgreementReadStore, AgreementReadSubject, Lease } from '../store/store.ts'
import type { Sites } from '../upstream/client/sites.ts'
import type { UpstreamClient } from '../upstream/client/upstream-client.ts'
import { notSent } from '../upstream/client/upstream-fault.ts'
import { findAgreement } from '../upstream/endpoints/find-agreement.ts'
import type { ReadSource } from './due-reader.ts'
import { MisattributedReadError } from './misattributed-read.ts'
import { siteName, siteNames } from './read-sites.ts'

export type AgreementReadOptions = {
  readonly reads: AgreementReadStore
  readonly upstream: Pick<UpstreamClient, 'searchAgreements'>
  readonly sites: Sites
  readonly clock: () => Date
}

/**
 * Read source for agreements whose callbacks leave the state in doubt. They are read by search: the payments API cannot read a
 * single agreement.
 */
export function agreementReads(options: AgreementReadOptions): ReadSource<AgreementReadSubject> {
  const { reads, upstream, sites, clock } = options
  const siteById = (id: string) => sites.byId(id) ?? sites.forCurrency('AUD')
  const siteOf = ({ agreement }: AgreementReadSubject) => siteById(agreement.site)

  const ask = async (subject: AgreementReadSubject, lease: Lease | null = null) => {
    const { id, clientTransactionId, createdAt } = subject.agreement
    const site = siteOf(subject)
    if (site === null) throw notSent('invalid-request', 'No credentials are configured for it.')
    const report = await findAgreement(upstream, site, {
      clientTransactionId,
      id,
      now: clock(),
      ...(createdAt === null ? {} : { createdAt: new Date(createdAt) }),
    })
    if (report === null || report.id !== id) throw new MisattributedReadError()
    return reads.record(subject, report, clock(), lease)
  }

  /** Concurrent queries share one result. */
  let looking: Promise<string[]> | null = null
  const readSitesNow = () => (looking ??= reads.sites().finally(() => (looking = null)))

  return {
    sites: siteNames(sites),
    due: async ({ site, readClass }, by, limit) => {
      const readSites = (await readSitesNow()).filter((id) => siteName(siteById(id)) === site)
      return reads.due({ readSites, readClass, by, limit })
    },
    nextDue: reads.nextDue,
    ask: (subject) => ask(subject),
    askPlanned: ask,
    again: ({ agreement }) => reads.subject(agreement.id),
    postpone: reads.postpone,
    failures: ({ failures }) => failures,
    dueAt: ({ dueAt }) => dueAt,
    site: (subject) => siteName(siteOf(subject)),
    key: ({ agreement }) => agreement.id,
    ids: ({ agreement }) => ({ agreementId: agreement.id }),
  }
}
