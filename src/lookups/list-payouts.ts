import type { PayoutReport } from '../domain/payouts/payout-report.ts'
import type { Payout } from '../domain/payouts/payout.ts'
import type { Site, Sites } from '../upstream/client/sites.ts'
import type { UpstreamClient } from '../upstream/client/upstream-client.ts'
import type { ReadFailure } from './operation-outcome.ts'
import { faultOf, readFailure } from './upstream-failure.ts'

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
  const asked = currency === null ? sites.all : [sites.forCurrency(currency)].filter((site) => site !== null)
  const answers = await fromAll(asked, (site) => upstream.listPayouts(site, { from, to, page }))
  if (!Array.isArray(answers)) return answers
  const payouts = answers.flatMap(({ site, answer }) =>
    answer.payouts.map((payout) => ({ payout, currencies: site.currencies })),
  )
  const totalPages = combined(
    answers.map(({ answer }) => answer.totalPages),
    (counts) => Math.max(...counts),
  )
  const totalCount = combined(
    answers.map(({ answer }) => answer.totalCount),
    (counts) => counts.reduce((a, b) => a + b, 0),
  )
  return { kind: 'done', page: { payouts, page, totalPages, totalCount } }
}

type Answered<Answer> = { readonly site: Site; readonly answer: Answer }

async function fromAll<Answer>(
  sites: readonly Site[],
  ask: (site: Site) => Promise<Answer>,
): Promise<Answered<Answer>[] | ReadFailure> {
  const answers = await Promise.all(sites.map((site) => attempt(site, () => ask(site))))
  return answers.find((answer) => 'kind' in answer) ?? answers.flatMap((answer) => ('kind' in answer ? [] : answer))
}

async function attempt<Answer>(site: Site, ask: () => Promise<Answer>): Promise<Answered<Answer> | ReadFailure> {
  try {
    return { site, answer: await ask() }
  } catch (error) {
    const fault = faultOf(error)
    if (fault === null) throw error
    return readFailure(fault, site.id)
  }
}

/** Returns null if any site gives no count. */
function combined(counts: readonly (number | null)[], combine: (counts: readonly number[]) => number): number | null {
  const known = counts.filter((count) => count !== null)
  return known.length === counts.length && known.length > 0 ? combine(known) : null
}
