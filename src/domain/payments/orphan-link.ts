import type { Command } from '../command.ts'
import { PAID_RANK } from './payment-status.ts'
import type { Payment } from './payment.ts'

/**
 * Returns whether a link that is known only by its correlation id is orphaned: the payments API created it, and no client received it. It
 * is not orphaned while the attempt that requested it is in flight. `command` is null if it was deleted; `now` is in milliseconds since
 * the epoch.
 */
export function isOrphan(ref: string, command: Command | null, now: number): boolean {
  if (command === null) return true
  const underWay = command.state === 'SENT' && command.ref === ref && command.leaseUntil > now
  return !underWay
}

/** Returns whether the payment was not paid before a change and is paid after it. */
export function hasBecomePaid(before: Pick<Payment, 'rank'> | null, after: Pick<Payment, 'rank'>): boolean {
  return after.rank >= PAID_RANK && (before === null || before.rank < PAID_RANK)
}
