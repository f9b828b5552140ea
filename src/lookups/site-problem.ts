import type { Site, Sites } from '../upstream/client/sites.ts'
import type { FieldProblem } from './operation-outcome.ts'

/**
 * Returns why no site can serve a request: its currency has no credentials, or the named site does not exist or does not serve
 * it.
 */
export function siteProblem(
  sites: Sites,
  { amount, site }: { readonly amount: { readonly currency: string }; readonly site?: string | null | undefined },
  path: readonly string[] = ['amount', 'currency'],
): FieldProblem {
  if (site == null) return { path, message: `no credentials for ${amount.currency} are configured` }
  return sites.byId(site) === null
    ? { path: ['site'], message: 'there is no such site' }
    : { path: ['site'], message: `this site does not serve ${amount.currency}` }
}

/** Returns the site that an id or a currency names; null if none does, or if the named one does not serve the currency. */
export function namedSite(
  sites: Pick<Sites, 'byId' | 'forCurrency'>,
  { currency, site }: { readonly currency: string | null; readonly site: string | null },
): Site | null {
  if (currency !== null) return sites.forCurrency(currency, site)
  return site === null ? null : sites.byId(site)
}
