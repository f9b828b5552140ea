import { sumDecimals, type Money } from '../../domain/money/money.ts'
import type { PayoutPayee, PayoutReport, PayoutTransaction } from '../../domain/payouts/payout-report.ts'
import { isRecorded, type Payout } from '../../domain/payouts/payout.ts'

/** A payout as a resolver's parent, with all values that are non-null in the schema. */
export type PayoutView = {
  readonly payout: Payout | PayoutReport
  readonly totalAmount: Money
  readonly transactions: readonly PayoutTransactionView[]
}

export type PayoutTransactionView = {
  readonly id: string
  readonly payoutId: string
  readonly amount: Money
  readonly transaction: PayoutTransaction
  /** What the payments API has just told of the payee; undefined if the payout is on record, where payees are stored apart. */
  readonly payee?: PayoutPayee | null | undefined
}

/**
 * Returns a payout for the graph. The currency is the payout's own, otherwise the only one of its site. If the payments API omits
 * the total, it is the sum of the transactions. Null if the currency or the total is unknown: an amount is never guessed.
 */
export function payoutView(payout: Payout | PayoutReport, siteCurrencies: readonly string[]): PayoutView | null {
  const currency = payout.currency ?? (siteCurrencies.length === 1 ? siteCurrencies[0] : undefined)
  if (currency === undefined) return null
  const transactions = payout.transactions.flatMap((transaction) => viewOf(payout, transaction, currency))
  const whole = transactions.length === payout.transactions.length
  const total = payout.totalAmount ?? (whole ? sumDecimals(transactions.map(({ amount }) => amount.value)) : null)
  return total === null ? null : { payout, totalAmount: { value: total, currency }, transactions }
}

function viewOf(
  payout: Payout | PayoutReport,
  transaction: PayoutTransaction,
  currency: string,
): PayoutTransactionView[] {
  const { id, amount } = transaction
  if (amount === null) return []
  const payee = isRecorded(payout) ? undefined : (payout.payees.find((one) => one.transactionId === id) ?? null)
  return [{ id, payoutId: payout.id, amount: { value: amount, currency }, transaction, payee }]
}
