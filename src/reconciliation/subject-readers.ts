import { attributeRead } from '../domain/payments/attribution.ts'
import { parseReadSite, readSiteOf } from '../domain/reads/read-schedule.ts'
import type {
  Lease,
  ReadStore,
  ReadSubject,
  AgreementReadStore,
  AgreementReadSubject,
  PayoutReadStore,
  PayoutReadSubject,
  DueReadsQuery,
} from '../store/store.ts'
import type { Sites, Site } from '../upstream/client/sites.ts'
import type { UpstreamClient } from '../upstream/client/upstream-client.ts'
import { notSent, unknownOutcome } from '../upstream/client/upstream-fault.ts'
import { findAgreement } from '../upstream/endpoints/agreement-endpoints.ts'
import type { ReadSource } from './due-reader.ts'
import type { ListedReads } from './listed-reads.ts'

type PaymentReadOptions = {
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
    siteToRead: (readSite) => siteOfRead(sites, readSite),
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
    if (report === null) throw unknownOutcome('mismatch')
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
    uncovered: async (subject) => {
      const site = siteOf(subject)
      if (site !== null) await lists?.uncovered(subject, site)
    },
    again: ({ paymentId, link }) => reads.subject(paymentId ?? link?.id ?? ''),
    key: ({ paymentId, link }) => paymentId ?? link?.id ?? '',
    ids: ({ paymentId, link }) => ({ paymentId, linkId: link?.id }),
  }
}

type AgreementReadOptions = {
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
    if (report === null || report.id !== id) throw unknownOutcome('mismatch')
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

type PayoutReadOptions = {
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

type Subject = { readonly dueAt: Date | null; readonly failures: number }

type StoredReadsOptions<Of extends Subject> = {
  readonly reads: {
    sites(): Promise<string[]>
    due(query: DueReadsQuery): Promise<Of[]>
    nextDue(): Promise<Date | null>
    postpone(subject: Of, until: Date | null, lease?: Lease | null): Promise<void>
  }
  readonly sites: Sites
  /** Returns the site of one of `reads.sites()`; null if it has no credentials. */
  readonly siteToRead: (readSite: string) => Site | null
  readonly siteOf: (subject: Of) => Site | null
}

type StoredReads<Of> = Pick<
  ReadSource<Of>,
  'sites' | 'due' | 'nextDue' | 'postpone' | 'failures' | 'dueAt' | 'site' | 'uncovered'
> & {
  /** Returns the site of a subject. Throws an `UpstreamFault` if it has no credentials. */
  readonly requireSite: (subject: Of) => Site
}

/** Creates the part of a read source that is the same for all subjects: their planned reads, as they are stored. */
function storedReads<Of extends Subject>(options: StoredReadsOptions<Of>): StoredReads<Of> {
  const { reads, sites, siteToRead, siteOf } = options
  /** Concurrent queries share one result. */
  let looking: Promise<string[]> | null = null
  const readSitesNow = () => (looking ??= reads.sites().finally(() => (looking = null)))
  return {
    sites: siteNames(sites),
    due: async ({ site, readClass }, by, limit) => {
      const readSites = (await readSitesNow()).filter((id) => siteName(siteToRead(id)) === site)
      return reads.due({ readSites, readClass, by, limit })
    },
    nextDue: reads.nextDue,
    postpone: reads.postpone,
    failures: ({ failures }) => failures,
    dueAt: ({ dueAt }) => dueAt,
    uncovered: async () => {},
    site: (subject) => siteName(siteOf(subject)),
    requireSite(subject) {
      const site = siteOf(subject)
      if (site === null) throw notSent('invalid-request', 'No credentials are configured for it.')
      return site
    },
  }
}

/** Site name for subjects without configured credentials, so that they do not delay others. */
const NO_SITE = ''

/** Returns the name under which reads of a site are counted and held back. */
function siteName(site: Site | null): string {
  return site?.id ?? NO_SITE
}

/** Returns every name that `siteName` can return. */
function siteNames(sites: Sites): readonly string[] {
  return [...sites.all.map(({ id }) => id), NO_SITE]
}

/** Returns the site whose credentials serve the stored `readSite`; null if none is configured. */
function siteOfRead(sites: Sites, readSite: string): Site | null {
  const named = parseReadSite(readSite)
  return 'siteId' in named ? sites.byId(named.siteId) : sites.forCurrency(named.currency)
}

/** Returns the site at which a payment or link is to be found; null if it is not configured. */
export function siteOfSubject(sites: Sites, { link, payin, readSite }: ReadSubject): Site | null {
  const id = link?.site ?? payin?.site
  return id === undefined ? siteOfRead(sites, readSite ?? readSiteOf(null, null)) : sites.byId(id)
}

/**
 * Returns the upstream uuid of the link through which a payment was made, also if the link was made elsewhere and is only named by the
 * reports of the payment; null for a direct payin.
 */
export function linkIdOf({ link, payin, namedLinkId }: ReadSubject): string | null {
  return link?.id ?? (payin === null ? namedLinkId : null)
}
