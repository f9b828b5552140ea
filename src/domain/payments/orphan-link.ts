import type { Command } from '../command.ts'
import { PAID_RANK } from './payment-status.ts'
import type { Payment } from './payment.ts'

/**
 * Whether a link of which only the address is known, by its correlation id, is an orphan: the payments API has made it, and no
 * client was given it. It is none while the attempt that asked for it is under way. `command` is null once it was
 * forgotten; `now` is in milliseconds since the epoch.
 */
export function isOrphan(ref: string, command: Command | null, now: number): boolean {
  if (command === null) return true
  const underWay = command.state === 'SENT' && command.ref === ref && command.leaseUntil > now
  return !underWay
}

/** Whether a change brought the money: it was not here before. */
export function hasBecomePaid(before: Pick<Payment, 'rank'> | null, after: Pick<Payment, 'rank'>): boolean {
  return after.rank >= PAID_RANK && (before === null || before.rank < PAID_RANK)
}
