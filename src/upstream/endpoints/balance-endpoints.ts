import { requireMatch, shaped } from '../client/assertions.ts'
import type { Site } from '../client/sites.ts'
import type { Transport } from '../client/transport.ts'
import { notSent } from '../client/upstream-fault.ts'
import { type Balances, readBalances } from '../wire/accounts/wire-balances.ts'

export type BalanceCalls = {
  /**
   * Returns the balances of a site's account in a currency (gap sheet, section 24). The currency is not checked here, since the
   * payments API's own lists of currencies with a balance differ (gap sheet, C22). Rejects with an `UpstreamFault`.
   */
  getBalances(site: Site, currency: string): Promise<Balances>
}

/** Creates the calls for v2 balances. */
export function balanceCalls(transport: Transport): BalanceCalls {
  return {
    getBalances: async (site, currency) => {
      if (!/^[A-Z]{3,4}$/.test(currency)) throw notSent('invalid-request', 'The currency is no currency code.')
      const query = { currency }
      const { status, json } = await transport.request(site, { method: 'GET', path: '/v2/balances/detail', query })
      const balances = shaped(readBalances(json, currency), status)
      requireMatch(balances.currency === currency, status)
      return balances
    },
  }
}
