import { DIRECT_CURRENCIES } from '../methods/methods-v2.ts'
import { CATALOGUE_CURRENCIES } from '../methods/methods.ts'

/** One site of the merchant: its credentials and their currencies (docs/payments-api.md, section 5). */
export type SandboxSite = { id: string; appId: string; secretKey: string; currencies: string[] }

/** Returns the site with this header pair, or undefined when either header is wrong. */
export function siteOf(
  sites: readonly SandboxSite[],
  appId: string | undefined,
  secretKey: string | undefined,
): SandboxSite | undefined {
  return sites.find((site) => site.appId === appId && site.secretKey === secretKey)
}

/** One site per currency of the method lists, with the same credentials in every sandbox. */
export const DEFAULT_SITES: SandboxSite[] = [...CATALOGUE_CURRENCIES, ...DIRECT_CURRENCIES].map((currency) => {
  const id = currency.toLowerCase()
  return { id, appId: `sandbox-${id}`, secretKey: `sandbox-secret-${id}`, currencies: [currency] }
})
