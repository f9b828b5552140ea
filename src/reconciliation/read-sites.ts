import { parseReadSite } from '../domain/reads/read-site.ts'
import type { Site, Sites } from '../upstream/client/sites.ts'

/** Site name for subjects without configured credentials, so that they do not delay others. */
const NO_SITE = ''

/** Returns the name under which reads of a site are counted and held back. */
export function siteName(site: Site | null): string {
  return site?.id ?? NO_SITE
}

/** Returns every name that `siteName` can return. */
export function siteNames(sites: Sites): readonly string[] {
  return [...sites.all.map(({ id }) => id), NO_SITE]
}

/** Returns the site whose credentials serve the stored `readSite`; null if none is configured. */
export function siteToRead(sites: Sites, readSite: string): Site | null {
  const named = parseReadSite(readSite)
  return 'siteId' in named ? sites.byId(named.siteId) : sites.forCurrency(named.currency)
}
