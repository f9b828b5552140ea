import { type Link, owedTotal } from '../payments/link.ts'
import { paidAmount } from '../payments/payment-object.ts'
import { handledAmount, isUnderWay } from '../payouts/sandbox-payout.ts'
import type { SandboxStore } from '../state/sandbox-store.ts'
import { addDecimals, compareDecimals, decimal, subtractDecimals, type Decimal } from '../values/decimal.ts'

/** The balance of a site in one currency (gap sheet, section 24). */
export type Balance = {
  readonly available: Decimal
  readonly incoming: Decimal
  readonly outgoing: Decimal
  readonly reserve: Decimal
  readonly withdrawable: Decimal
}

/**
 * Computes the balance from the opening balance, deposits, payments and payouts. A deposit counts as incoming and available
 * at once (docs/payments-api.md, section 4.8); a payment is incoming from its approval until the funds arrive. Money that a
 * refund or a payout has requested is outgoing and not available. Nothing is held in reserve.
 */
export function balanceOf(store: SandboxStore, siteId: string, currency: string): Balance {
  const payments = [...store.links.values()].filter(
    (link) => link.siteId === siteId && link.request.currency === currency,
  )
  const payouts = [...store.payouts.values()].filter(
    (payout) => payout.siteId === siteId && payout.currency === currency,
  )
  const deposits = store.deposits.filter((deposit) => deposit.siteId === siteId && deposit.currency === currency)
  const deposited = sum(deposits.map(({ amount }) => amount))
  const outgoing = addDecimals(sum(payments.map(refundUnderWay)), sum(payouts.filter(isUnderWay).map(handledAmount)))
  const gone = sum(payouts.filter(({ status }) => status === 'completed').map(handledAmount))
  const earned = addDecimals(addDecimals(store.openingBalance, deposited), sum(payments.map(keptAmount)))
  const available = subtractDecimals(subtractDecimals(earned, gone), outgoing)
  return {
    available,
    incoming: addDecimals(deposited, sum(payments.filter(isApproved).map(owedTotal))),
    outgoing,
    reserve: ZERO,
    withdrawable: compareDecimals(available, ZERO) > 0 ? available : ZERO,
  }
}

const ZERO = decimal('0')

function sum(amounts: readonly Decimal[]): Decimal {
  return amounts.reduce(addDecimals, ZERO)
}

function isApproved({ payment }: Link): boolean {
  return payment?.status === 'authorised' || payment?.status === 'waiting'
}

/** The amount of a payment that was received and not paid back; 0 for a lost dispute (docs/payments-api.md, section 3.2). */
function keptAmount(link: Link): Decimal {
  const { payment } = link
  if (payment === undefined || payment.status === 'dispute_lost') return ZERO
  return subtractDecimals(paidAmount(link, payment.status), payment.refund?.refunded ?? ZERO)
}

function refundUnderWay({ payment }: Link): Decimal {
  if (payment?.status !== 'return_pending' || payment.refund === undefined) return ZERO
  return subtractDecimals(payment.refund.requested, payment.refund.refunded)
}
