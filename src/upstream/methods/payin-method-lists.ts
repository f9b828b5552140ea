import { z } from 'zod'
import {
  type MethodRequirements,
  mergedMethods,
  type PayinMethod,
  type PayinMethodUse,
} from '../../domain/methods/payin-method.ts'
import type { PayoutMethod, PayoutMethodRequirements } from '../../domain/payouts/payout-report.ts'
import type { Sites } from '../client/sites.ts'
import { type FindMethod, type MethodCache, methodFinder, type MethodList } from './method-cache.ts'

/** A list that the payments API has not given, and of which nothing is cached. */
export type MissingMethods = { readonly currency: string; readonly use: PayinMethodUse }

/** `unavailable` names the currencies of which either list is missing, `missing` which one. */
type PayinMethodList = MethodList<PayinMethod> & { readonly missing: readonly MissingMethods[] }

export type PayinMethodLists = {
  /** As in `MethodCache`; the methods of both lists, merged by code. */
  list(currencies?: readonly string[]): Promise<PayinMethodList>
  readonly find: FindMethod<PayinMethod>
  readonly version: () => number
}

type PayinMethodListsOptions = {
  readonly link: MethodCache<PayinMethod>
  readonly direct: MethodCache<PayinMethod>
  readonly sites: Sites
}

/**
 * Merges the methods of links (v3) with those of direct payins (v2) by code. Each list is cached per site, so that the failure of one leaves
 * the other.
 */
export function createPayinMethodLists({ link, direct, sites }: PayinMethodListsOptions): PayinMethodLists {
  const merge = createMerge()

  async function list(currencies?: readonly string[]): Promise<PayinMethodList> {
    const [linked, directly] = await Promise.all([link.list(currencies), direct.list(currencies)])
    const missing = [
      ...linked.unavailable.map((currency) => ({ currency, use: 'LINK' }) as const),
      ...directly.unavailable.map((currency) => ({ currency, use: 'DIRECT' }) as const),
    ]
    return {
      methods: merge(linked.methods, directly.methods),
      fetchedAt: new Date(Math.min(linked.fetchedAt.getTime(), directly.fetchedAt.getTime())),
      stale: linked.stale || directly.stale,
      expired: linked.expired || directly.expired,
      unavailable: [...new Set(missing.map(({ currency }) => currency))].sort(),
      missing,
    }
  }

  return { list, find: methodFinder(sites, list), version: () => link.version() + direct.version() }
}

type Methods = readonly PayinMethod[]

/** Merges two lists; the same arrays give the same array with the same methods, so that values derived from it stay valid. */
function createMerge(): (link: Methods, direct: Methods) => Methods {
  const made = new WeakMap<Methods, WeakMap<Methods, Methods>>()
  return (link, direct) => {
    const withLink = made.get(link) ?? new WeakMap<Methods, Methods>()
    made.set(link, withLink)
    const known =
      withLink.get(direct) ?? Object.freeze(mergedMethods([link, direct]).map((method) => Object.freeze(method)))
    withLink.set(direct, known)
    return known
  }
}

const labels = z.array(z.string()).nullable()
const flag = z.boolean().nullable()
const text = z.string().nullable()
const flags = { refundable: flag, cancellable: flag, requiresContact: flag, requiresKyc: flag }
const shown = { minAmount: text, maxAmount: text, networks: labels, symbol: text, logo: text }
const code = {
  code: z.string().min(1),
  currency: z.string().min(1),
  countryCode: z.string().nullable(),
  kind: z.enum(['CARD', 'BANK_TRANSFER', 'ALIAS', 'EWALLET', 'MOBILE_MONEY', 'QR', 'EFT', 'OTHER']),
  kindRaw: z.string(),
}

/** Values as nodes share them. Another form needs another version in the names of their keys (`composition/open-store.ts`). */
export const PAYIN_METHODS: z.ZodType<readonly PayinMethod[]> = z.array(
  z.strictObject({
    ...code,
    ...shown,
    usableFor: z.array(z.enum(['LINK', 'DIRECT'])),
    name: text,
    cardBrands: labels,
    checkoutLanguages: labels,
    flags: z.strictObject(flags),
  }),
)

export const PAYOUT_METHODS: z.ZodType<readonly PayoutMethod[]> = z.array(z.strictObject(code))

const requirements = {
  ...flags,
  ...shown,
  code: z.string().min(1),
  currency: z.string().min(1),
  description: text,
  fields: z.array(
    z.strictObject({ name: z.string(), type: z.string(), required: z.boolean(), label: text, raw: z.string() }),
  ),
}

export const PAYIN_REQUIREMENTS: z.ZodType<MethodRequirements> = z.strictObject(requirements)

export const PAYOUT_REQUIREMENTS: z.ZodType<PayoutMethodRequirements> = z.strictObject({
  ...requirements,
  banks: z.array(z.strictObject({ code: z.string(), name: z.string(), shortName: text })),
})
