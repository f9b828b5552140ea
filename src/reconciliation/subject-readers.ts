import { attributeRead } from '../domain/payments/attribution.ts'
import { parseReadSite, readSiteOf } from '../domain/reads/read-schedule.ts'
import type { Store } from '../ledger/store.ts'
import type {
  AgreementReadSubject,
  DueRead,
  Lease,
  PayoutReadSubject,
  ReadOutcome,
  ReadSubject,
} from '../store/port.ts'
import type { Sites, Site } from '../upstream/client/sites.ts'
import { findAgreement } from '../upstream/endpoints/agreement-endpoints.ts'
import type { UpstreamClient } from '../upstream/upstream-client.ts'
import { notSent, unknownOutcome } from '../upstream/upstream-fault.ts'
import type { Readable } from './single-flight-reader.ts'

/** What can be read from the payments API, and how. */
export type Readables = {
  /** Every name of a site that a `Readable` may have: the ids of the configured sites, and an empty one. */
  readonly sites: readonly string[]
  /** Returns the name of the site that reads what is planned under a key of `readSiteOf`. */
  siteOf(readSite: string): string
  /** Returns what is due; null if it does not exist any more. */
  find(due: Pick<DueRead, 'kind' | 'id'>): Promise<Readable | null>
  ofPayment(subject: ReadSubject): Readable
}

export type ReadablesOptions = {
  readonly store: Pick<Store, 'reads' | 'agreementReads' | 'payoutReads'>
  readonly upstream: Pick<UpstreamClient, 'getPayinLink' | 'getPayin' | 'searchAgreements' | 'getPayout'>
  readonly sites: Sites
  readonly clock: () => Date
}

export function createReadables({ store, upstream, sites, clock }: ReadablesOptions): Readables {
  const { reads, agreementReads, payoutReads } = store

  /**
   * A link is read with the credentials that made it. A payment without a link of ours is read as a direct payin or, if its reports name a
   * link that was made elsewhere, through that link.
   */
  const ofPayment = (subject: ReadSubject): Readable => {
    const { paymentId, link, dueAt, failures } = subject
    const key = paymentId ?? link?.id ?? ''
    const site = siteOfSubject(sites, subject)
    const ask = async (lease: Lease | null): Promise<ReadOutcome> => {
      const linkId = linkIdOf(subject)
      const said = await (linkId === null
        ? upstream.getPayin(required(site), paymentId ?? '')
        : upstream.getPayinLink(required(site), linkId))
      const report = attributeRead(subject, said)
      if (report === null) throw unknownOutcome('mismatch')
      return reads.record(subject, report, clock(), lease)
    }
    return {
      key,
      site: nameOf(site),
      dueAt,
      failures,
      ids: { paymentId, linkId: link?.id },
      ask,
      postpone: (until, lease) => reads.postpone(subject, until, lease),
      again: () => found(reads.subject(key), ofPayment),
    }
  }

  /** An agreement is read by search: the payments API cannot read a single one. */
  const ofAgreement = (subject: AgreementReadSubject): Readable => {
    const { agreement, dueAt, failures } = subject
    const { id, clientTransactionId, createdAt } = agreement
    const site = sites.byId(agreement.site) ?? sites.forCurrency('AUD')
    const ask = async (lease: Lease | null): Promise<ReadOutcome> => {
      const report = await findAgreement(upstream, required(site), {
        clientTransactionId,
        id,
        now: clock(),
        ...(createdAt === null ? {} : { createdAt: new Date(createdAt) }),
      })
      if (report === null || report.id !== id) throw unknownOutcome('mismatch')
      return agreementReads.record(subject, report, clock(), lease)
    }
    return {
      key: id,
      site: nameOf(site),
      dueAt,
      failures,
      ids: { agreementId: id },
      ask,
      postpone: (until, lease) => agreementReads.postpone(subject, until, lease),
      again: () => found(agreementReads.subject(id), ofAgreement),
    }
  }

  const ofPayout = (subject: PayoutReadSubject): Readable => {
    const { payout, dueAt, failures } = subject
    const { id } = payout
    const site = sites.byId(payout.site)
    return {
      key: id,
      site: nameOf(site),
      dueAt,
      failures,
      ids: { payoutId: id },
      ask: async (lease) => payoutReads.record(subject, await upstream.getPayout(required(site), id), clock(), lease),
      postpone: (until, lease) => payoutReads.postpone(subject, until, lease),
      again: () => found(payoutReads.subject(id), ofPayout),
    }
  }

  return {
    sites: [...sites.all.map(({ id }) => id), NO_SITE],
    siteOf: (readSite) => nameOf(siteOfRead(sites, readSite)),
    find({ kind, id }) {
      if (kind === 'agreement') return found(agreementReads.subject(id), ofAgreement)
      if (kind === 'payout') return found(payoutReads.subject(id), ofPayout)
      return found(reads.subject(id), ofPayment)
    },
    ofPayment,
  }
}

async function found<Subject>(
  finding: Promise<Subject | null>,
  readableOf: (subject: Subject) => Readable,
): Promise<Readable | null> {
  const subject = await finding
  return subject === null ? null : readableOf(subject)
}

/** Site name for subjects without configured credentials, so that they do not delay others. */
const NO_SITE = ''

/** Returns the name under which reads of a site are counted and held back. */
function nameOf(site: Site | null): string {
  return site?.id ?? NO_SITE
}

function required(site: Site | null): Site {
  if (site === null) throw notSent('invalid-request', 'No credentials are configured for it.')
  return site
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
