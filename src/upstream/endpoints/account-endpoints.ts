import { Readable } from 'node:stream'
import { toPlainJson } from 'payments-subgraph-lib/exact-json'
import type { PictureType } from '../../domain/customers/identity-check.ts'
import { requireMatch, requireServed, shaped, spanQuery, sendable } from '../client/exchange-checks.ts'
import type { Site } from '../client/sites.ts'
import type { Transport } from '../client/transport.ts'
import { notSent } from '../upstream-fault.ts'
import { readPage } from '../wire/values/wire-fields.ts'
import {
  type BankAccount,
  readBankAccount,
  toBankLookupBody,
  type DepositSimulation,
  toDepositBody,
  type PaymentBalanceMovement,
  readBalanceMovement,
  type Balances,
  readBalances,
} from '../wire/wire-accounts.ts'
import { multipartOf } from '../wire/wire-identity-check.ts'

export type BalanceHistorySearch = {
  /** Whole seconds in UTC: `from` is rounded down, `to` up. */
  readonly from: Date
  readonly to: Date
  /** Starts at 1; a page has 20 movements. */
  readonly page: number
}

export type BalanceHistoryPage = {
  readonly movements: readonly PaymentBalanceMovement[]
  readonly totalPages: number | null
  readonly totalCount: number | null
}

export type BalanceCalls = {
  /**
   * Returns the balances of a site's account in a currency (gap sheet, section 24). The currency is not checked here, since the
   * payments API's own lists of currencies with a balance differ (gap sheet, C22). Rejects with an `UpstreamFault`.
   */
  getBalances(site: Site, currency: string): Promise<Balances>
  /**
   * Returns one page of the movements of a site's balance in AUD, for which alone a history is documented (gap sheet, section 24). Unreadable
   * records, and those in another currency, are omitted. Rejects with an `UpstreamFault`.
   */
  getBalanceHistory(site: Site, search: BalanceHistorySearch): Promise<BalanceHistoryPage>
}

/** The only currency with a balance history. */
export const HISTORY_CURRENCY = 'AUD'

/** Creates the calls for balances (v2) and their history (v1). */
export function balanceCalls(transport: Transport): BalanceCalls {
  return {
    getBalances: async (site, currency) => {
      if (!/^[A-Z]{3,4}$/.test(currency)) throw notSent('invalid-request', 'The currency is no currency code.')
      const query = { currency }
      const { status, json } = await transport.request(site, { method: 'GET', path: '/v2/balances/detail', query })
      const balances = shaped(readBalances(json, currency), status)
      requireMatch(balances.currency === currency, status)
      return balances
    },

    getBalanceHistory: async (site, { page, ...span }) => {
      requireServed(site, HISTORY_CURRENCY)
      const { from_date: from, to_date: to } = spanQuery(span)
      const query = { from_date: `${from}Z`, to_date: `${to}Z`, page }
      const { status, json } = await transport.request(site, { method: 'GET', path: '/v1/balances/history', query })
      const { records, totalPages, totalCount } = shaped(readPage(json), status)
      const movements = records.flatMap((record) => readBalanceMovement(record, HISTORY_CURRENCY) ?? [])
      return { movements: movements.filter(({ currency }) => currency === HISTORY_CURRENCY), totalPages, totalCount }
    },
  }
}

export type QrImage = { readonly type: PictureType; readonly bytes: Uint8Array }

export type BankLookupCalls = {
  /**
   * Returns the bank account of a VietQR payload (docs/payments-api.md, section 4.7). If there is no such account, the fault is
   * `refused` with 404. Rejects with an `UpstreamFault`.
   */
  lookupBankByQr(site: Site, qrContent: string): Promise<BankAccount>
  /** The same for a picture of the QR code, at a path that is assumed (gap sheet, section 21). */
  lookupBankByImage(site: Site, image: QrImage): Promise<BankAccount>
}

/** Creates the calls for the bank look-up. */
export function bankLookupCalls(transport: Transport): BankLookupCalls {
  return {
    lookupBankByQr: async (site, qrContent) => {
      const body = sendable(toBankLookupBody(qrContent))
      const path = '/v2/banks/lookup/qr_content'
      const { status, json } = await transport.request(site, { method: 'POST', path, body })
      return shaped(readBankAccount(json), status)
    },

    lookupBankByImage: async (site, { type, bytes }) => {
      const body = multipartOf({}, [{ name: 'image', type, bytes: Readable.from([bytes]) }])
      const { status, json } = await transport.upload(site, { path: site.paths.lookupBankByImage, body })
      return shaped(readBankAccount(json), status)
    },
  }
}

export type DepositCalls = {
  /**
   * Makes the sandbox credit a treasury account, and returns the answer as plain JSON: its form is not published
   * (docs/payments-api.md, section 4.8). Rejects with an `UpstreamFault`.
   */
  simulateDeposit(site: Site, deposit: DepositSimulation): Promise<unknown>
}

/** Creates the call of the deposit simulator. */
export function depositCalls(transport: Transport): DepositCalls {
  return {
    simulateDeposit: async (site, deposit) => {
      const body = sendable(toDepositBody(deposit))
      const { json } = await transport.request(site, { method: 'POST', path: '/v1/simulate_deposit', body })
      return toPlainJson(json)
    },
  }
}
