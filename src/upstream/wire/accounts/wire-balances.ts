import { z } from 'zod'
import type { ExactJson } from '../../../lib/exact-json.ts'
import { currency, decimal, isRecord } from '../values/wire-fields.ts'

/** Balances of the merchant's account in one currency, as plain digits. */
export type Balances = {
  /** Upper-case currency code. */
  readonly currency: string
  readonly available: string
  readonly incoming: string
  readonly outgoing: string
  readonly rollingReserve: string
  readonly withdrawable: string
}

const balances = z.object({
  currency,
  available_balance: decimal,
  incoming_balance: decimal,
  outgoing_balance: decimal,
  rolling_reserve_balance: decimal,
  withdrawable_balance: decimal,
})

/**
 * Reads the balances in a currency, which the answer need not repeat (gap sheet, section 24). Null if any of the five amounts is
 * unreadable: an unknown balance must not appear as zero.
 */
export function readBalances(json: ExactJson, asked: string): Balances | null {
  if (!isRecord(json)) return null
  const {
    currency: named,
    available_balance: available,
    incoming_balance: incoming,
    outgoing_balance: outgoing,
    rolling_reserve_balance: rollingReserve,
    withdrawable_balance: withdrawable,
  } = balances.parse(json)
  if (available === null || incoming === null || outgoing === null) return null
  if (rollingReserve === null || withdrawable === null) return null
  return { currency: named ?? asked, available, incoming, outgoing, rollingReserve, withdrawable }
}
