/** Prefix of a currency if the site of a payment is not recorded: no site id can begin with it. */
const CURRENCY_MARK = '*'

/**
 * Returns the key by which the due reads of a payment are selected: the id of its site or, if neither its link nor its payin is recorded,
 * its currency.
 */
export function readSiteOf(siteId: string | null, currency: string | null): string {
  return siteId ?? `${CURRENCY_MARK}${currency ?? ''}`
}

/** Returns the site id or the currency from which `readSiteOf` made the key. */
export function parseReadSite(readSite: string): { readonly siteId: string } | { readonly currency: string } {
  return readSite.startsWith(CURRENCY_MARK) ? { currency: readSite.slice(CURRENCY_MARK.length) } : { siteId: readSite }
}

/** Returns whether the key is a currency, because the site is not recorded. */
export function isPickedByCurrency(readSite: string): boolean {
  return readSite.startsWith(CURRENCY_MARK)
}
