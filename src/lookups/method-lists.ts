import { hasDirectPayins } from '../domain/money/money.ts'
import type { Sites } from '../upstream/client/sites.ts'
import { createMethodCache } from '../upstream/methods/method-cache.ts'
import { createKeyedCache, createPayinMethodLists } from '../upstream/methods/payin-method-lists.ts'
import type { UpstreamClient } from '../upstream/upstream-client.ts'
import { createRequirementsReader } from './method-requirements.ts'

/** Creates the cached method lists and the reader of each method's required fields. */
export function createMethodLists(upstream: UpstreamClient, sites: Sites) {
  const linkMethods = createMethodCache({ load: (site) => upstream.listPayinMethods(site), sites })
  const directMethods = createMethodCache({
    load: async (site) => (site.currencies.some(hasDirectPayins) ? upstream.listDirectPayinMethods(site) : []),
    sites,
  })
  const payoutMethods = createMethodCache({ load: (site) => upstream.listPayoutMethods(site), sites })
  const requirements = createRequirementsReader({
    upstream,
    sites,
    directMethods,
    payoutMethods,
    createCache: createKeyedCache,
  })
  const methods = createPayinMethodLists({ link: linkMethods, direct: directMethods, sites })
  return { methods, linkMethods, payoutMethods, requirements }
}
