import type { PaymentReport } from '../../domain/payments/payment-report.ts'
import type { FoundPayment } from '../../store/store.ts'
import type { Site, Sites } from '../../upstream/client/sites.ts'
import type { UpstreamClient } from '../../upstream/client/upstream-client.ts'
import { UpstreamFault } from '../../upstream/client/upstream-fault.ts'
import type { ReadBudget } from '../read-budget.ts'
import { type ErasedPayersOptions, foundPayments } from './read-list-page.ts'

/** Finds a payment by an id that is not on record. */
export type PaymentFinder = {
  /**
   * Asks all sites for a payin, and for a link, with this id, each within its read budget. Returns null if no site has it, also for an id
   * that is none of the payments API. Rejects with an `UpstreamFault` if a site did not answer and no other one has it.
   */
  find(id: string): Promise<FoundPayment | null>
}

export type PaymentFinderOptions = ErasedPayersOptions & {
  readonly upstream: Pick<UpstreamClient, 'getPayin' | 'getPayinLink'>
  readonly sites: Sites
  readonly budget: ReadBudget
}

/** Creates the finder of payments that were made elsewhere. */
export function createPaymentFinder(options: PaymentFinderOptions): PaymentFinder {
  const { upstream, sites, budget } = options

  /** Returns null if the payments API refuses the id: it documents 400 and 422 beside 404 for one that it does not know. */
  const ask = async (site: Site, read: (site: Site) => Promise<PaymentReport>) => {
    const permit = await budget.acquire(site.id, 'person')
    try {
      const report = await read(site)
      permit.end(null)
      return report
    } catch (error) {
      permit.end(error)
      if (error instanceof UpstreamFault && isUnknown(error)) return null
      throw error
    }
  }

  const findAt = async (site: Site, id: string): Promise<FoundPayment | null> => {
    const payin = await ask(site, () => upstream.getPayin(site, id))
    const link = payin === null ? await ask(site, () => upstream.getPayinLink(site, id)) : null
    // The answer about a link need not name it: it was asked for by its id.
    const report = payin ?? (link === null ? null : { ...link, linkId: id })
    if (report === null) return null
    const [found] = await foundPayments(options, {
      site,
      isLink: payin === null,
      entries: [{ report, endpointUrl: null }],
    })
    return found ?? null
  }

  return {
    async find(id) {
      const answers = await Promise.allSettled(sites.all.map((site) => findAt(site, id)))
      for (const answer of answers) if (answer.status === 'fulfilled' && answer.value !== null) return answer.value
      for (const answer of answers) if (answer.status === 'rejected') throw answer.reason
      return null
    },
  }
}

function isUnknown({ detail }: UpstreamFault): boolean {
  return detail.kind === 'refused' || (detail.kind === 'not-sent' && detail.reason === 'invalid-request')
}
