import type { Command } from '../command.ts'
import { PAID_RANK } from './payment-status.ts'
import type { Payment } from './payment.ts'

/**
 * Returns whether a link of which only the correlation id is known is an orphan: the payments API has created it, and no client received
 * it. It is not an orphan while the attempt that requested it is in flight. `command` is null if it was deleted; `now` is in milliseconds
 * since the epoch.
 */
export function isOrphan(ref: string, command: Command | null, now: number): boolean {
  if (command === null) return true
  const underWay = command.state === 'SENT' && command.ref === ref && command.leaseUntil > now
  return !underWay
}

/** Returns whether a change made an unpaid payment paid. */
export function hasBecomePaid(before: Pick<Payment, 'rank'> | null, after: Pick<Payment, 'rank'>): boolean {
  return after.rank >= PAID_RANK && (before === null || before.rank < PAID_RANK)
}
