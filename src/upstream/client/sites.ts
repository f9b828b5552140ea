import { V1_CURRENCY, V1_PAYOUT_NAMES, type V1PayoutNames } from '../../domain/payouts/payout-rules.ts'
import { Secret } from '../../keys/key-ring.ts'

/** Paths that the payments API does not document (gap sheet, sections 12 and 21); `paths` of a site in `UPSTREAM_SITES` overrides them. */
const ASSUMED_PATHS = { cancelPayin: '/v2/payins/cancel', lookupBankByImage: '/v2/banks/lookup/qr_image' }

export type AssumedPaths = Readonly<typeof ASSUMED_PATHS>

/** One site of the merchant: a set of credentials and its currencies (docs/payments-api.md, section 5). */
export type Site = {
  /** Our name for the site; not secret, so it may be logged. */
  readonly id: string
  readonly appId: string
  readonly secretKey: Secret
  /** Upper-case currency codes. */
  readonly currencies: readonly string[]
  /** The names of fields of v1 payouts in AUD; null where the site does not pay out by v1. */
  readonly v1Payouts: V1PayoutNames | null
  readonly paths: AssumedPaths
}

/** A site as the configuration gives it. */
export type SiteSettings = {
  readonly id: string
  readonly appId: string
  readonly secretKey: Secret | string
  readonly currencies: readonly string[]
  /** Whether the site pays out by v1, with names of fields that differ from those assumed. Default: it does not. */
  readonly v1Payouts?: boolean | Partial<V1PayoutNames> | null | undefined
  /** Those that differ from the assumed ones. */
  readonly paths?: Partial<AssumedPaths> | undefined
}

export type Sites = {
  /** In configuration order. */
  readonly all: readonly Site[]
  /** Returns the site with that id, or null. */
  byId(id: string): Site | null
  /**
   * Returns the site whose credentials serve a currency: the preferred one if given, else the first in configuration order. Null
   * if no site serves the currency, or if the preferred one does not: another account is never used instead.
   */
  forCurrency(currency: string, preferredId?: string | null): Site | null
}

/** Visible ASCII characters only: they cannot end a header. */
const HEADER_TEXT = /^[\x21-\x7e]+$/

/**
 * Creates the list of sites. Two sites may serve the same currency. Throws `TypeError` for an empty list, a duplicate id, a site
 * without currency, or credentials that are not valid header values.
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

function siteOf({ id, appId, secretKey, currencies, v1Payouts, paths }: SiteSettings): Site {
  const secret = typeof secretKey === 'string' ? new Secret(secretKey) : secretKey
  if (id === '') throw new TypeError('A site has an empty id.')
  if (currencies.length === 0) throw new TypeError(`Site ${id} serves no currency.`)
  if (!HEADER_TEXT.test(appId) || !HEADER_TEXT.test(secret.reveal()))
    throw new TypeError(`The credentials of site ${id} hold characters that cannot stand in a header.`)
  const codes = [...new Set(currencies.map((code) => code.toUpperCase()))]
  const names = namesOf(v1Payouts ?? false)
  if (names !== null && !codes.includes(V1_CURRENCY))
    throw new TypeError(`Site ${id} has v1 payouts, which are in ${V1_CURRENCY} alone.`)
  return Object.freeze({
    id,
    appId,
    secretKey: secret,
    currencies: Object.freeze(codes),
    v1Payouts: names,
    paths: Object.freeze({ ...ASSUMED_PATHS, ...paths }),
  })
}

function namesOf(v1Payouts: boolean | Partial<V1PayoutNames>): V1PayoutNames | null {
  if (v1Payouts === false) return null
  return Object.freeze({ ...V1_PAYOUT_NAMES, ...(v1Payouts === true ? {} : v1Payouts) })
}
