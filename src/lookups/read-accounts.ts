import { checkVietQr } from '../domain/accounts/vietqr.ts'
import { pictureTypeOf } from '../domain/customers/identity-check.ts'
import { trimmed } from '../lib/text.ts'
import type { Site, Sites } from '../upstream/client/sites.ts'
import {
  type BalanceHistoryPage,
  type BalanceHistorySearch,
  HISTORY_CURRENCY,
} from '../upstream/endpoints/account-endpoints.ts'
import type { UpstreamClient } from '../upstream/upstream-client.ts'
import type { Balances, BankAccount } from '../upstream/wire/wire-accounts.ts'
import { type ReadFailure, faultOf, readFailure, type QrFailure } from './operation-outcome.ts'

/** The balance of one account: of a site, in one currency. */
export type SitedBalances = Balances & { readonly site: string }

export type BalanceFailure = { readonly site: string; readonly currency: string; readonly failure: ReadFailure }

export type BalanceList = {
  readonly balances: readonly SitedBalances[]
  /** The accounts that gave no usable answer, each with the reason. */
  readonly failures: readonly BalanceFailure[]
}

export type BalanceQuery = { readonly currencies: readonly string[] | null }

type BalanceOptions = { readonly upstream: Pick<UpstreamClient, 'getBalances'>; readonly sites: Sites }

/**
 * Reads the balances of the accounts of the named currencies, or of all configured ones; where several sites serve a currency, each has an
 * account. Omits a currency that no site serves. The failure of one account does not affect the others.
 */
export async function readBalances(options: BalanceOptions, { currencies }: BalanceQuery): Promise<BalanceList> {
  const { sites } = options
  const wanted = new Set(currencies ?? sites.all.flatMap((site) => site.currencies))
  const answers = await Promise.all(
    [...wanted].flatMap((currency) => {
      const serving = sites.all.filter((site) => site.currencies.includes(currency))
      return serving.map((site) => readBalance(options, site, currency))
    }),
  )
  return {
    balances: answers.flatMap((answer) => ('failure' in answer ? [] : answer)),
    failures: answers.flatMap((answer) => ('failure' in answer ? answer : [])),
  }
}

async function readBalance(
  { upstream }: BalanceOptions,
  site: Site,
  currency: string,
): Promise<SitedBalances | BalanceFailure> {
  try {
    return { ...(await upstream.getBalances(site, currency)), site: site.id }
  } catch (error) {
    const fault = faultOf(error)
    if (fault === null) throw error
    return { site: site.id, currency, failure: readFailure(fault, site.id) }
  }
}

export type BalanceHistory =
  | { readonly kind: 'done'; readonly page: BalanceHistoryPage }
  | { readonly kind: 'no-account' }
  | ReadFailure

/** Reads one page of the history of an account in AUD: of the named site, or of the first that serves it. */
export async function readBalanceHistory(
  { upstream, sites }: { readonly upstream: Pick<UpstreamClient, 'getBalanceHistory'>; readonly sites: Sites },
  { site: named, ...search }: BalanceHistorySearch & { readonly site: string | null },
): Promise<BalanceHistory> {
  const site = sites.forCurrency(HISTORY_CURRENCY, named)
  if (site === null) return { kind: 'no-account' }
  try {
    return { kind: 'done', page: await upstream.getBalanceHistory(site, search) }
  } catch (error) {
    const fault = faultOf(error)
    if (fault === null) throw error
    return readFailure(fault, site.id)
  }
}

export type BankLookupOutcome = { readonly kind: 'done'; readonly account: BankAccount } | QrFailure | ReadFailure

/**
 * Looks up the account behind a VietQR payload. What a scanner or the clipboard adds around it is dropped. The payload is validated first; an invalid one is not sent (docs/payments-api.md,
 * section 4.7).
 */
export async function lookUpBank(
  { upstream, sites }: { upstream: Pick<UpstreamClient, 'lookupBankByQr'>; sites: Sites },
  scanned: string,
): Promise<BankLookupOutcome> {
  const qrContent = trimmed(scanned)
  const checked = checkVietQr(qrContent)
  if (!checked.ok) return { kind: 'invalid-qr', position: checked.position, message: checked.message }
  return atBank(sites, (site) => upstream.lookupBankByQr(site, qrContent))
}

/** Looks up the account behind a picture of a VietQR code, in Base64: a PNG or JPEG of at most 32 KiB (gap sheet, section 21). */
export async function lookUpBankByImage(
  { upstream, sites }: { upstream: Pick<UpstreamClient, 'lookupBankByImage'>; sites: Sites },
  base64: string,
): Promise<BankLookupOutcome> {
  const bytes = Buffer.from(base64, 'base64')
  const type = pictureTypeOf(bytes)
  if (type === null || bytes.length > LARGEST_IMAGE_BYTES || bytes.toString('base64') !== base64)
    return { kind: 'invalid-qr', position: 0, message: 'It is no PNG or JPEG of at most 32 KiB in Base64.' }
  return atBank(sites, (site) => upstream.lookupBankByImage(site, { type, bytes }))
}

/** In Base64 it fits into the variables of an operation. */
const LARGEST_IMAGE_BYTES = 32_768

async function atBank(sites: Sites, ask: (site: Site) => Promise<BankAccount>): Promise<BankLookupOutcome> {
  const site = sites.forCurrency('VND')
  if (site === null) return { kind: 'upstream-unavailable', retryAfterSeconds: null }
  try {
    return { kind: 'done', account: await ask(site) }
  } catch (error) {
    const fault = faultOf(error)
    if (fault === null) throw error
    return readFailure(fault, site.id)
  }
}
