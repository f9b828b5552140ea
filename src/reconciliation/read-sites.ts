import { parseReadSite } from '../domain/reads/read-site.ts'
import type { Site, Sites } from '../upstream/client/sites.ts'

/** Stands for subjects for which no credentials are configured: they delay no others. */
const NO_SITE = ''

/** The name under which reads of a site are counted and held back. */
export function siteName(site: Site | null): string {
  return site?.id ?? NO_SITE
}

/** Every name that `siteName` can give. */
export function siteNames(sites: Sites): readonly string[] {
  return [...sites.all.map(({ id }) => id), NO_SITE]
}

/** The site whose credentials read what the store has under `readSite`; null when none is configured. */
export function siteToRead(sites: Sites, readSite: string): Site | null {
  const named = parseReadSite(readSite)
  return 'siteId' in named ? sites.byId(named.siteId) : sites.forCurrency(named.currency)
}
