import type { PayoutReport } from '../domain/payout.ts'
import type { UpstreamClient } from '../upstream/client.ts'
import type { Site, Sites } from '../upstream/sites.ts'
import type { Balances } from '../upstream/wire/balances.ts'
import type { SitedPayout } from './create-payout.ts'
import type { ReadFailure } from './outcome.ts'
import { faultOf, readFailure } from './upstream-failure.ts'

type PayoutReads = {
  readonly upstream: Pick<UpstreamClient, 'getPayout'>
  readonly sites: Sites
}

export type FoundPayout =
  | { readonly kind: 'done'; readonly payout: PayoutReport; readonly site: Site }
  | Exclude<ReadFailure, { kind: 'upstream-rejected' }>

/**
 * Finds a payout. Its id does not tell whose it is, so every site is asked; the payout is absent only when every site
 * says so.
 */
export async function findSiteOfPayout({ upstream, sites }: PayoutReads, id: string): Promise<FoundPayout> {
  const answers = await Promise.all(
    sites.all.map(async (site): Promise<FoundPayout> => {
      try {
        return { kind: 'done', payout: await upstream.getPayout(site, id), site }
      } catch (error) {
        return absent(error, site)
      }
    }),
  )
  const found = answers.find((answer) => answer.kind === 'done')
  return found ?? answers.find((answer) => answer.kind !== 'not-found') ?? { kind: 'not-found' }
}

/**
 * A site that refuses the id does not have the payout: the service names 400 and 422 beside 404 for it. Nor has it one
 * whose id is none of the service's, for which it is not even asked.
 */
function absent(error: unknown, site: Site): Exclude<FoundPayout, { kind: 'done' }> {
  const fault = faultOf(error)
  if (fault === null) throw error
  if (fault.kind === 'not-sent' && fault.reason === 'invalid-request') return { kind: 'not-found' }
  const failure = readFailure(fault, site.id)
  return failure.kind === 'upstream-rejected' ? { kind: 'not-found' } : failure
}

export type PayoutPage = {
  readonly payouts: readonly SitedPayout[]
  readonly page: number
  readonly totalPages: number | null
  readonly totalCount: number | null
}

export type PayoutList = { readonly kind: 'done'; readonly page: PayoutPage } | ReadFailure

type ListOptions = { readonly upstream: Pick<UpstreamClient, 'listPayouts'>; readonly sites: Sites }

/**
 * One page of the payouts of one currency's site, or the same page of every site. When a site does not answer there is no
 * list: one with a hole would pass for a whole one.
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

export type BalanceList = { readonly kind: 'done'; readonly balances: readonly Balances[] } | ReadFailure

/** What the accounts hold, for the named currencies or every configured one. */
export async function readBalances(
  { upstream, sites }: { upstream: Pick<UpstreamClient, 'getBalances'>; sites: Sites },
  currencies: readonly string[] | null,
): Promise<BalanceList> {
  const wanted = new Set(currencies ?? sites.all.flatMap((site) => site.currencies))
  const asked = [...wanted].flatMap((currency) => {
    const site = sites.forCurrency(currency)
    return site === null ? [] : [{ site, currency }]
  })
  const answers = await Promise.all(
    asked.map(({ site, currency }) => attempt(site, () => upstream.getBalances(site, currency))),
  )
  const failed = answers.find((answer) => 'kind' in answer)
  if (failed !== undefined) return failed
  return { kind: 'done', balances: answers.flatMap((answer) => ('kind' in answer ? [] : answer.answer)) }
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

/** Null as soon as one site does not tell. */
function combined(counts: readonly (number | null)[], combine: (counts: readonly number[]) => number): number | null {
  const known = counts.filter((count) => count !== null)
  return known.length === counts.length && known.length > 0 ? combine(known) : null
}
