import { parseReadSite, readSiteOf } from '../domain/reads/read-schedule.ts'
import type { ReadSubject } from '../store/store.ts'
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

/** Returns the site at which a payment or link is to be found; null if it is not configured. */
export function siteOfSubject(sites: Sites, { link, payin, readSite }: ReadSubject): Site | null {
  const id = link?.site ?? payin?.site
  return id === undefined ? siteToRead(sites, readSite ?? readSiteOf(null, null)) : sites.byId(id)
}

/**
 * Returns the upstream uuid of the link through which a payment was made, also if the link was made elsewhere and is only named by the
 * reports of the payment; null for a direct payin.
 */
export function linkIdOf({ link, payin, namedLinkId }: ReadSubject): string | null {
  return link?.id ?? (payin === null ? namedLinkId : null)
}
