import { Secret } from '../../keys/secret.ts'

/** One site of the merchant's account: credentials, and the currencies that they fix (docs/payments-api.md, section 5). */
export type Site = {
  /** Our name for it, free of secrets: it may be logged. */
  readonly id: string
  readonly appId: string
  readonly secretKey: Secret
  /** Upper-case currency codes. */
  readonly currencies: readonly string[]
}

/** A site as the configuration gives it. */
export type SiteSettings = {
  readonly id: string
  readonly appId: string
  readonly secretKey: Secret | string
  readonly currencies: readonly string[]
}

export type Sites = {
  /** In the order of the configuration. */
  readonly all: readonly Site[]
  /** The site of that name, or null. */
  byId(id: string): Site | null
  /**
   * The site whose credentials serve a currency: the preferred one where it is named, else the first listed. Null when
   * no site serves the currency, or when the preferred one does not: another account is never taken in its place.
   */
  forCurrency(currency: string, preferredId?: string | null): Site | null
}

/** What may stand in a header without being able to end it. */
const HEADER_TEXT = /^[\x21-\x7e]+$/

/**
 * Gathers the sites. Two sites may serve one currency.
 * Throws `TypeError` for an empty list, a repeated id, a site without currency, or credentials that cannot be a header.
 */
export function createSites(settings: readonly SiteSettings[]): Sites {
  if (settings.length === 0) throw new TypeError('At least one site is needed.')
  const all = Object.freeze(settings.map(siteOf))
  const byId = new Map(all.map((site) => [site.id, site]))
  if (byId.size !== all.length) throw new TypeError('Two sites have the same id.')
  return {
    all,
    byId: (id) => byId.get(id) ?? null,
    forCurrency: (currency, preferredId) =>
      all.find(
        (site) =>
          site.currencies.includes(currency) &&
          (preferredId === undefined || preferredId === null || site.id === preferredId),
      ) ?? null,
  }
}

function siteOf({ id, appId, secretKey, currencies }: SiteSettings): Site {
  const secret = typeof secretKey === 'string' ? new Secret(secretKey) : secretKey
  if (id === '') throw new TypeError('A site has an empty id.')
  if (currencies.length === 0) throw new TypeError(`Site ${id} serves no currency.`)
  if (!HEADER_TEXT.test(appId) || !HEADER_TEXT.test(secret.reveal()))
    throw new TypeError(`The credentials of site ${id} hold characters that cannot stand in a header.`)
  const codes = [...new Set(currencies.map((code) => code.toUpperCase()))]
  return Object.freeze({ id, appId, secretKey: secret, currencies: Object.freeze(codes) })
}
