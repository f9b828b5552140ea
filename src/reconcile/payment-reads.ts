import { attributeRead } from '../domain/attribution.ts'
import type { PaymentReport } from '../domain/payment-report.ts'
import type { ReadStore, ReadSubject } from '../store/store.ts'
import type { UpstreamClient } from '../upstream/client.ts'
import { notSent } from '../upstream/faults.ts'
import type { Sites } from '../upstream/sites.ts'
import { MisattributedReadError, type ReadSource } from './reader.ts'

export type PaymentReadOptions = {
  readonly reads: ReadStore
  readonly upstream: Pick<UpstreamClient, 'getPayinLink' | 'getPayin'>
  readonly sites: Sites
  readonly clock: () => Date
}

/** Payments whose deliveries contradict each other, and links whose time is over. */
export function paymentReads({ reads, upstream, sites, clock }: PaymentReadOptions): ReadSource<ReadSubject> {
  /** A link is read with the credentials that made it, a payment without a link as a direct payin. */
  const ask = async ({ link, payin, paymentId, currency }: ReadSubject) => {
    const id = link?.site ?? payin?.site
    const site = id === undefined ? sites.forCurrency(currency ?? '') : sites.byId(id)
    if (site === null) throw notSent('invalid-request', 'No credentials are configured for it.')
    return link === null ? upstream.getPayin(site, paymentId ?? '') : upstream.getPayinLink(site, link.id)
  }

  return paymentReadsFrom({ reads, ask, clock })
}

type AnySource = {
  readonly reads: ReadStore
  /** Asks the service what is true of one subject. Rejects when it does not answer. */
  readonly ask: (subject: ReadSubject) => Promise<PaymentReport>
  readonly clock: () => Date
}

/** The same, whoever answers. */
export function paymentReadsFrom({ reads, ask, clock }: AnySource): ReadSource<ReadSubject> {
  return {
    due: reads.due,
    nextDue: reads.nextDue,
    ask: async (subject) => {
      const report = attributeRead(subject, await ask(subject))
      if (report === null) throw new MisattributedReadError()
      return reads.record(subject, report, clock())
    },
    again: ({ paymentId, link }) => reads.subject(paymentId ?? link?.id ?? ''),
    postpone: reads.postpone,
    failures: ({ failures }) => failures,
    ids: ({ paymentId, link }) => ({ paymentId, linkId: link?.id }),
  }
}
