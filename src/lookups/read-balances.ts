import type { Site, Sites } from '../upstream/client/sites.ts'
import type { UpstreamClient } from '../upstream/client/upstream-client.ts'
import type { Balances } from '../upstream/wire/accounts/wire-balances.ts'
import type { ReadFailure } from './operation-outcome.ts'
import { faultOf, readFailure } from './upstream-failure.ts'

export type BalanceList = {
  readonly balances: readonly Balances[]
  /** Currencies whose site gave no usable answer, each with the reason. */
  readonly failures: readonly { readonly currency: string; readonly failure: ReadFailure }[]
}

type BalanceOptions = { readonly upstream: Pick<UpstreamClient, 'getBalances'>; readonly sites: Sites }

/**
 * Reads the account balances of the named currencies, or of all configured ones. Omits a currency that no site serves. The
 * failure of one site does not affect the others.
 */
export async function readBalances(
  options: BalanceOptions,
  currencies: readonly string[] | null,
): Promise<BalanceList> {
  const { sites } = options
  const wanted = new Set(currencies ?? sites.all.flatMap((site) => site.currencies))
  const answers = await Promise.all(
    [...wanted].flatMap((currency) => {
      const site = sites.forCurrency(currency)
      return site === null ? [] : readBalance(options, site, currency)
    }),
  )
  return {
    balances: answers.flatMap((answer) => ('failure' in answer ? [] : answer)),
    failures: answers.flatMap((answer) => ('failure' in answer ? answer : [])),
  }
}

async function readBalance(
  { upstream }: BalanceOptions,
  site: Site,
  currency: string,
): Promise<Balances | BalanceList['failures'][number]> {
  try {
    return await upstream.getBalances(site, currency)
  } catch (error) {
    const fault = faultOf(error)
    if (fault === null) throw error
    return { currency, failure: readFailure(fault, site.id) }
  }
}
