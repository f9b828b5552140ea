import type { MethodRequirements } from '../domain/methods/method-field.ts'
import { type MethodFlags, NO_FLAGS } from '../domain/methods/method-traits.ts'
import type { PayinMethod } from '../domain/methods/payin-method.ts'
import type { PayoutMethod, PayoutMethodRequirements } from '../domain/payouts/payout.ts'
import type { Site, Sites } from '../upstream/client/sites.ts'
import type { UpstreamClient } from '../upstream/client/upstream-client.ts'
import type { KeyedCache } from '../upstream/methods/keyed-cache.ts'
import { isCurrent, type MethodCache } from '../upstream/methods/method-cache.ts'

/** Required fields of methods, read once per method and cached. Null where the payments API does not provide them. */
export type MethodRequirementsReader = {
  /**
   * Returns the fields that a direct payin by this method needs, at the site that serves its currency. Calls `onStale` if the
   * payments API did not answer: the result is then old, or null.
   */
  ofPayin(method: PayinMethod, onStale?: () => void): Promise<MethodRequirements | null>
  ofPayout(method: PayoutMethod): Promise<PayoutMethodRequirements | null>
  /**
   * Returns the flags of a direct payin method, from the list of direct methods or else from the method's own record. Returns
   * `NO_FLAGS` for other methods, and if neither source is available. `onStale` as for `ofPayin`.
   */
  payinFlags(method: PayinMethod, onStale: () => void): Promise<MethodFlags>
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
    ofPayin: async ({ code, currency }, onStale) => {
      const site = sites.forCurrency(currency)
      return site === null ? null : payinFields(site, code, onStale)
    },
    ofPayout: async ({ code, currency }) => {
      const site = sites.forCurrency(currency)
      return site === null ? null : payoutFields(site, code)
    },
    payinFlags: async ({ code, currency }, onStale) => {
      const list = await directMethods.list([currency])
      if (!isCurrent(list)) onStale()
      const flags = list.methods.find((method) => method.code === code)?.flags
      const site = sites.forCurrency(currency)
      if (flags === undefined || site === null) return NO_FLAGS
      if (Object.values(flags).some((flag) => flag !== null)) return flags
      return (await payinFields(site, code, onStale)) ?? NO_FLAGS
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
