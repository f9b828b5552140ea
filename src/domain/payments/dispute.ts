import { subtractDecimals } from '../money/money.ts'
import type { PaymentDetails, PaymentStatus } from './payment-report.ts'

/** The latest dispute of a payment. The payments API reports a status, and neither an amount nor an instant (gap sheet, section 12). */
export type Dispute = {
  /** ISO 8601 instant in UTC of the event that reported it; null if only its end was reported. */
  readonly openedAt: string | null
  /** Plain digits, in the currency of the payment: what was paid and not refunded when the dispute was reported. */
  readonly amount: string | null
  /** Null while it is under review. */
  readonly outcome: 'WON' | 'LOST' | null
  /** ISO 8601 instant in UTC of the event that ended it; null while it is under review. */
  readonly decidedAt: string | null
}

type State = {
  readonly status: PaymentStatus | null
  readonly details: Pick<PaymentDetails, 'amount' | 'paid' | 'refunded'>
  readonly dispute?: Dispute
}

/** Returns the latest dispute of a payment after a change at an instant; undefined if there was none. */
export function disputeAfter(before: State | null, { status, details }: State, at: string): Dispute | undefined {
  const known = before?.dispute
  if (status === null || status === before?.status) return known
  const amount = amountOf(details)
  const open = known?.outcome === null ? known : null
  if (status === 'in_dispute') return open ?? { openedAt: at, amount, outcome: null, decidedAt: null }
  if (status === 'dispute_lost') return { ...(open ?? { openedAt: null, amount }), outcome: 'LOST', decidedAt: at }
  // The money is the merchant's again, also after a lost dispute that was reversed.
  return known === undefined || known.outcome === 'WON' ? known : { ...known, outcome: 'WON', decidedAt: at }
}

function amountOf({ amount, paid, refunded }: State['details']): string | null {
  const whole = paid ?? amount
  return whole === null || refunded === null ? whole : subtractDecimals(whole, refunded)
}
