import type { AgreementReadStore, AgreementReadSubject, Lease } from '../store/store.ts'
import type { Sites } from '../upstream/client/sites.ts'
import type { UpstreamClient } from '../upstream/client/upstream-client.ts'
import { findAgreement } from '../upstream/endpoints/find-agreement.ts'
import type { ReadSource } from './due-reader.ts'
import { MisattributedReadError } from './misattributed-read.ts'
import { storedReads } from './stored-reads.ts'

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
  const { requireSite, ...source } = storedReads({
    reads,
    sites,
    siteToRead: siteById,
    siteOf: ({ agreement }: AgreementReadSubject) => siteById(agreement.site),
  })

  const ask = async (subject: AgreementReadSubject, lease: Lease | null = null) => {
    const { id, clientTransactionId, createdAt } = subject.agreement
    const report = await findAgreement(upstream, requireSite(subject), {
      clientTransactionId,
      id,
      now: clock(),
      ...(createdAt === null ? {} : { createdAt: new Date(createdAt) }),
    })
    if (report === null || report.id !== id) throw new MisattributedReadError()
    return reads.record(subject, report, clock(), lease)
  }

  return {
    ...source,
    ask: (subject) => ask(subject),
    askPlanned: ask,
    again: ({ agreement }) => reads.subject(agreement.id),
    key: ({ agreement }) => agreement.id,
    ids: ({ agreement }) => ({ agreementId: agreement.id }),
  }
}
