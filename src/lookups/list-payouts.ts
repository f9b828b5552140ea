import type { PayoutReport } from '../domain/payouts/payout-report.ts'
import type { Payout } from '../domain/payouts/payout.ts'
import type { Sites } from '../upstream/client/sites.ts'
import type { UpstreamClient } from '../upstream/client/upstream-client.ts'
import { combinedPage } from '../upstream/wire/values/wire-page.ts'
import { fromAllSites, sitesAsked } from './list-from-sites.ts'
import type { ReadFailure } from './operation-outcome.ts'

/** A payout and the currencies of the site whose account pays it. */
export type SitedPayout = { readonly payout: Payout | PayoutReport; readonly currencies: readonly string[] }

export type PayoutPage = {
  readonly payouts: readonly SitedPayout[]
  readonly page: number
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
  return { kind: 'done', page: { payouts, page, ...combinedPage(answers.map(({ answer }) => answer)) } }
}
