import type { MethodRequirements, PayinMethod } from '../domain/methods/payin-method.ts'
import type { PayoutMethod, PayoutMethodRequirements } from '../domain/payouts/payout-report.ts'
import type { Site, Sites } from '../upstream/client/sites.ts'
import type { MethodCache } from '../upstream/methods/method-cache.ts'
import type { KeyedCache } from '../upstream/methods/payin-method-lists.ts'
import type { UpstreamClient } from '../upstream/upstream-client.ts'

/** Required fields of methods, read once per method and cached. Null where the payments API does not provide them. */
export type MethodRequirementsReader = {
  /**
   * Returns what a direct payin by this method needs, at the site that serves its currency; null for a method that is for links alone. Calls
   * `onStale` if the payments API did not answer: the result is then old, or null.
   */
  ofPayin(method: PayinMethod, onStale?: () => void): Promise<MethodRequirements | null>
  ofPayout(method: PayoutMethod): Promise<PayoutMethodRequirements | null>
  payinFields(site: Site, code: string): Promise<MethodRequirements | null>
  payoutFields(site: Site, code: string): Promise<PayoutMethodRequirements | null>
  /** Codes of the direct payin methods of a currency; null if the list is unavailable. */
  payinCodes(currency: string): Promise<readonly string[] | null>
  payoutCodes(currency: string): Promise<readonly string[] | null>
}

export type RequirementsOptions = {
  readonly upstream: Pick<UpstreamClient, 'payinMethodFields' | 'payoutMethodFields'>
  readonly sites: Sites
  readonly directMethods: MethodCache<PayinMethod>
  readonly payoutMethods: MethodCache<PayoutMethod>
  readonly createCache: <Value>() => KeyedCache<Value>
}

export function createRequirementsReader(options: RequirementsOptions): MethodRequirementsReader {
  const { upstream, sites, directMethods, payoutMethods, createCache } = options
  const payins = createCache<MethodRequirements>()
  const payouts = createCache<PayoutMethodRequirements>()

  const payinFields = (site: Site, code: string, onStale?: () => void) =>
    payins.get(`${site.id} ${code}`, () => upstream.payinMethodFields(site, code), onStale)
  const payoutFields = (site: Site, code: string) =>
    payouts.get(`${site.id} ${code}`, () => upstream.payoutMethodFields(site, code))

  return {
    payinFields: (site, code) => payinFields(site, code),
    payoutFields,
    ofPayin: async ({ code, currency, usableFor }, onStale) => {
      const site = usableFor.includes('DIRECT') ? sites.forCurrency(currency) : null
      return site === null ? null : payinFields(site, code, onStale)
    },
    ofPayout: async ({ code, currency }) => {
      const site = sites.forCurrency(currency)
      return site === null ? null : payoutFields(site, code)
    },
    payinCodes: (currency) => codesOf(directMethods, currency),
    payoutCodes: (currency) => codesOf(payoutMethods, currency),
  }
}

async function codesOf(
  cache: MethodCache<{ code: string; currency: string }>,
  currency: string,
): Promise<readonly string[] | null> {
  const list = await cache.list([currency])
  return list.unavailable.includes(currency) ? null : list.methods.map((method) => method.code)
}
