/** Stands in front of a currency where the site of a payment is not on record: no site's id can begin with it. */
const CURRENCY_MARK = '*'

/**
 * By what the due reads of a payment are picked: the id of its site or, where neither its link nor its payin is on record,
 * its currency.
 */
export function readSiteOf(siteId: string | null, currency: string | null): string {
  return siteId ?? `${CURRENCY_MARK}${currency ?? ''}`
}

/** What `readSiteOf` was given: the id of a site, or a currency. */
export function parseReadSite(readSite: string): { readonly siteId: string } | { readonly currency: string } {
  return readSite.startsWith(CURRENCY_MARK) ? { currency: readSite.slice(CURRENCY_MARK.length) } : { siteId: readSite }
}

/** Whether this is a currency, since the site is not on record. */
export function isPickedByCurrency(readSite: string): boolean {
  return readSite.startsWith(CURRENCY_MARK)
}
