import { sumDecimals, type Money } from '../../domain/money/money.ts'
import type { PayoutReport, PayoutTransaction } from '../../domain/payouts/payout.ts'

/** A payout as a resolver's parent, with all values that are non-null in the schema. */
export type PayoutView = {
  readonly payout: PayoutReport
  readonly totalAmount: Money
  readonly transactions: readonly PayoutTransactionView[]
}

export type PayoutTransactionView = {
  readonly id: string
  readonly amount: Money
  readonly transaction: PayoutTransaction
}

/**
 * Returns a payout for the graph. The currency is the payout's own, otherwise the only one of its site. If the payments API omits
 * the total, it is the sum of the transactions. Null if the currency or the total is unknown: an amount is never guessed.
 */
export function payoutView(payout: PayoutReport, siteCurrencies: readonly string[]): PayoutView | null {
  const currency = payout.currency ?? (siteCurrencies.length === 1 ? siteCurrencies[0] : undefined)
  if (currency === undefined) return null
  const transactions = payout.transactions.flatMap((transaction, index) =>
    viewOf(transaction, `${payout.id}.${index + 1}`, currency),
  )
  const whole = transactions.length === payout.transactions.length
  const total = payout.totalAmount ?? (whole ? sumDecimals(transactions.map(({ amount }) => amount.value)) : null)
  return total === null ? null : { payout, totalAmount: { value: total, currency }, transactions }
}

function viewOf(transaction: PayoutTransaction, place: string, currency: string): PayoutTransactionView[] {
  const { id, amount } = transaction
  return amount === null ? [] : [{ id: id ?? place, amount: { value: amount, currency }, transaction }]
}
