import { methodOf, type Link } from '../payments/link.ts'
import { paidAmount, paymentMethod } from '../payments/payment-object.ts'
import { handledAmount, type Payout } from '../payouts/sandbox-payout.ts'
import type { SandboxStore } from '../state/sandbox-store.ts'
import { type Decimal, jsonNumber } from '../values/decimal.ts'

/** One movement of a balance. The names of the kinds are the sandbox's own, but for `payment` (gap sheet, section 24). */
type Movement = {
  readonly id: string
  readonly kind: 'payment' | 'refund' | 'payout' | 'top-up'
  readonly amount: Decimal
  readonly method: string | null
  readonly at: Date
}

/** Returns the movements of a site's balance in an interval, both ends inclusive, newest first. */
export function movementsOf(
  store: SandboxStore,
  siteId: string,
  { currency, from, to }: { currency: string; from: Date; to: Date },
): Movement[] {
  const deposits = store.deposits
    .filter((deposit) => deposit.siteId === siteId && deposit.currency === currency)
    .map(({ amount, at }, index): Movement => ({ id: `deposit${index + 1}`, kind: 'top-up', amount, method: null, at }))
  const links = [...store.links.values()].filter((link) => link.siteId === siteId && link.request.currency === currency)
  const payouts = [...store.payouts.values()].filter(
    (payout) => payout.siteId === siteId && payout.currency === currency,
  )
  return [...deposits, ...links.flatMap(ofPayment), ...payouts.flatMap(ofPayout)]
    .filter(({ at }) => at >= from && at <= to)
    .sort((one, other) => other.at.getTime() - one.at.getTime())
}

/** A movement as the payments API shows it (gap sheet, section 24). */
export function movementRecord({ id, kind, amount, method, at }: Movement, currency: string): object {
  const isIn = kind === 'payment' || kind === 'top-up'
  return {
    id: `txn_${id}`,
    amount: jsonNumber(amount),
    request_type: isIn ? 'money_in' : 'money_out',
    transaction_type: kind,
    currency,
    payment_method: method,
    status: 'done',
    reference_id: `ref_${id}`,
    balance_detail: {
      outgoing: jsonNumber(isIn ? ZERO : amount),
      total: jsonNumber(amount),
      fees: jsonNumber(ZERO),
    },
    created_at: at.toISOString(),
  }
}

const ZERO: Decimal = { units: 0n, scale: 0 }

function ofPayment(link: Link): Movement[] {
  const { payment } = link
  if (payment === undefined) return []
  const method = paymentMethod(methodOf(link))
  const received = payment.history.find(({ status }) => status === 'received')
  const returned = payment.history.findLast(
    ({ status }) => status === 'return_received' || status === 'partially_refunded',
  )
  return [
    ...(received === undefined
      ? []
      : [
          { id: payment.uuid, kind: 'payment', amount: paidAmount(link, 'received'), method, at: received.at } as const,
        ]),
    ...(returned === undefined || payment.refund === undefined
      ? []
      : [
          { id: `${payment.uuid}r`, kind: 'refund', amount: payment.refund.refunded, method, at: returned.at } as const,
        ]),
  ]
}

function ofPayout(payout: Payout): Movement[] {
  const completed = payout.history.find(({ status }) => status === 'completed')
  if (completed === undefined) return []
  const amount = handledAmount(payout)
  return [{ id: payout.uuid, kind: 'payout', amount, method: payout.request.methodCode, at: completed.at }]
}
