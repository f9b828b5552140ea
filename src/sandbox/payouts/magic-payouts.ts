import { isZeroDecimal } from '../methods/methods.ts'
import { compareDecimals, decimal } from '../values/decimal.ts'
import type { Payout, PayoutError, PayoutTransaction } from './sandbox-payout.ts'

/** One row of the payout magic table: a transaction with this amount has this effect. */
export type MagicPayout = { effect: string; amount: string; zeroDecimalAmount: string }

/** Amounts that select the outcome of a batch. */
export const MAGIC_PAYOUTS = {
  noFunds: { effect: 'the batch never finds funds: svc_PAYOUT1', amount: '777.01', zeroDecimalAmount: '77701' },
  mandate: { effect: 'the batch is late by one step: svc_PAYOUT2', amount: '777.02', zeroDecimalAmount: '77702' },
  refused: { effect: 'the transaction fails, the batch completes', amount: '777.03', zeroDecimalAmount: '77703' },
} as const satisfies Record<string, MagicPayout>

/** Insufficient balance, and no mandate that the payments API could charge. */
export const NO_FUNDS: PayoutError = {
  code: 'svc_PAYOUT1',
  message: 'There is not enough balance. Top it up.',
}

/** Insufficient balance; the payments API charges the merchant's own mandate, and the batch continues. */
export const CHARGES_MANDATE: PayoutError = {
  code: 'svc_PAYOUT2',
  message: 'There is not enough balance. Your mandate will be charged.',
}

/** Whether a batch has a transaction with this magic amount. */
export function hasMagic({ transactions, currency }: Payout, row: MagicPayout): boolean {
  return transactions.some((transaction) => isMagic(transaction, currency, row))
}

/** Whether a transaction has this magic amount. */
export function isMagic({ amount }: PayoutTransaction, currency: string, row: MagicPayout): boolean {
  return compareDecimals(amount, decimal(isZeroDecimal(currency) ? row.zeroDecimalAmount : row.amount)) === 0
}
