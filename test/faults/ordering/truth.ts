import type { PaymentStatus } from '../../../src/domain/payments/payment-report.ts'
import type { Random } from '../random.ts'

export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

/** The state of a payment from an instant on (milliseconds since the beginning of the simulation). */
export type Truth = { readonly at: number; readonly status: PaymentStatus; readonly refunded: number }

/** The amount of every payment; a partial refund is a tenth of it. */
export const AMOUNT = 100
const PART = 10

type Way = { readonly share: number; readonly to: PaymentStatus; readonly withinMs: number }

/** Possible next statuses with their probability and longest delay. The remainder to 1 is the probability that the status is final. */
const WAYS: Readonly<Partial<Record<PaymentStatus, readonly Way[]>>> = {
  pending: [
    { share: 0.45, to: 'authorised', withinMs: 20 * MINUTE_MS },
    { share: 0.15, to: 'received', withinMs: 20 * MINUTE_MS },
    { share: 0.15, to: 'failed', withinMs: 20 * MINUTE_MS },
    { share: 0.1, to: 'waiting', withinMs: 20 * MINUTE_MS },
    { share: 0.15, to: 'expired', withinMs: HOUR_MS },
  ],
  authorised: [
    { share: 0.7, to: 'waiting', withinMs: 10 * MINUTE_MS },
    { share: 0.2, to: 'received', withinMs: 10 * MINUTE_MS },
    { share: 0.1, to: 'failed', withinMs: 10 * MINUTE_MS },
  ],
  waiting: [
    { share: 0.95, to: 'received', withinMs: 48 * HOUR_MS },
    { share: 0.05, to: 'failed', withinMs: 48 * HOUR_MS },
  ],
  failed: [{ share: 0.3, to: 'pending', withinMs: 20 * MINUTE_MS }],
  expired: [{ share: 0.05, to: 'received', withinMs: 3 * DAY_MS }],
  received: [
    { share: 0.15, to: 'return_pending', withinMs: 20 * DAY_MS },
    { share: 0.03, to: 'in_dispute', withinMs: 30 * DAY_MS },
  ],
  return_pending: [
    { share: 0.5, to: 'partially_refunded', withinMs: 3 * DAY_MS },
    { share: 0.35, to: 'return_received', withinMs: 3 * DAY_MS },
    { share: 0.1, to: 'return_rejected', withinMs: 3 * DAY_MS },
    { share: 0.05, to: 'return_expired', withinMs: 3 * DAY_MS },
  ],
  partially_refunded: [{ share: 0.4, to: 'return_pending', withinMs: 10 * DAY_MS }],
  return_rejected: [{ share: 0.3, to: 'return_pending', withinMs: 10 * DAY_MS }],
  return_expired: [{ share: 0.3, to: 'return_pending', withinMs: 10 * DAY_MS }],
  in_dispute: [
    { share: 0.6, to: 'dispute_lost', withinMs: 30 * DAY_MS },
    { share: 0.4, to: 'received', withinMs: 30 * DAY_MS },
  ],
}

/** After that nothing is refunded or disputed any more. */
const LONGEST_MS = 179 * DAY_MS

/** Returns the history of one payment, from pending to its final status. */
export function walk(random: Random, begun: number): Truth[] {
  const truths: Truth[] = []
  let last: Truth | undefined = { at: begun, status: 'pending', refunded: 0 }
  for (; last !== undefined && last.at < begun + LONGEST_MS; last = next(last, random)) truths.push(last)
  return truths
}

function next({ at, status, refunded }: Truth, random: Random): Truth | undefined {
  const way = choose(WAYS[status] ?? [], random())
  if (way === undefined) return undefined
  const later = at + Math.ceil(random() * way.withinMs)
  if (way.to === 'return_received') return { at: later, status: way.to, refunded: AMOUNT }
  if (way.to !== 'partially_refunded') return { at: later, status: way.to, refunded }
  const sum = refunded + PART
  return { at: later, status: sum === AMOUNT ? 'return_received' : way.to, refunded: sum }
}

function choose(ways: readonly Way[], drawn: number): Way | undefined {
  let passed = 0
  return ways.find(({ share }) => drawn < (passed += share))
}

/** Returns the state at an instant. Throws if the history is empty. */
export function truthAt(truths: readonly Truth[], at: number): Truth {
  const found = truths.findLast((truth) => truth.at <= at) ?? truths[0]
  if (found === undefined) throw new Error('A payment without a beginning.')
  return found
}
