/** The statuses that the payments API documents (docs/payments-api.md, section 3.2), as it spells them. */
export const PAYMENT_STATUSES = [
  'pending',
  'authorised',
  'waiting',
  'received',
  'expired',
  'return_pending',
  'return_expired',
  'partially_refunded',
  'return_received',
  'return_rejected',
  'failed',
  'in_dispute',
  'dispute_lost',
] as const

export type PaymentStatus = (typeof PAYMENT_STATUSES)[number]

/** The coarse statuses: a set that is frozen. */
export const PAYMENT_PHASES = [
  'IN_PROGRESS',
  'SUCCEEDED',
  'FAILED',
  'EXPIRED',
  'REFUNDING',
  'REFUNDED',
  'DISPUTED',
] as const

export type PaymentPhase = (typeof PAYMENT_PHASES)[number]

type StatusFacts = {
  /** How far the payment has come: a higher rank is newer, equal ranks leave the order open. */
  readonly rank: number
  readonly phase: PaymentPhase
  /** At rest: a later status is possible (a refund, a second try), but nothing is under way. */
  readonly terminal: boolean
  /** The payments API may report it more than once for one payment, with the very same bytes. */
  readonly repeatable: boolean
}

const FACTS: Readonly<Record<PaymentStatus, StatusFacts>> = {
  pending: { rank: 0, phase: 'IN_PROGRESS', terminal: false, repeatable: true },
  authorised: { rank: 1, phase: 'IN_PROGRESS', terminal: false, repeatable: false },
  waiting: { rank: 2, phase: 'IN_PROGRESS', terminal: false, repeatable: false },
  failed: { rank: 3, phase: 'FAILED', terminal: true, repeatable: true },
  expired: { rank: 3, phase: 'EXPIRED', terminal: true, repeatable: true },
  received: { rank: 4, phase: 'SUCCEEDED', terminal: true, repeatable: true },
  return_pending: { rank: 5, phase: 'REFUNDING', terminal: false, repeatable: true },
  return_rejected: { rank: 5, phase: 'SUCCEEDED', terminal: true, repeatable: true },
  return_expired: { rank: 5, phase: 'SUCCEEDED', terminal: true, repeatable: true },
  partially_refunded: { rank: 5, phase: 'SUCCEEDED', terminal: true, repeatable: true },
  in_dispute: { rank: 5, phase: 'DISPUTED', terminal: false, repeatable: true },
  return_received: { rank: 6, phase: 'REFUNDED', terminal: true, repeatable: false },
  dispute_lost: { rank: 6, phase: 'DISPUTED', terminal: true, repeatable: false },
}

/** From this rank on the money is here: nothing that comes late takes it back to an unpaid status. */
export const PAID_RANK = 4

/** Spellings outside the documented set that other pages of the payments API use for a documented status (gap sheet, C2). */
const OTHER_SPELLINGS: ReadonlyMap<string, PaymentStatus> = new Map([
  ['refunded', 'return_received'],
  ['canceled', 'expired'],
])

const known: ReadonlySet<string> = new Set(PAYMENT_STATUSES)

/** The documented status that a wire value stands for, or null for one that this version does not know. */
export function recogniseStatus(raw: string): PaymentStatus | null {
  return known.has(raw) ? (raw as PaymentStatus) : (OTHER_SPELLINGS.get(raw) ?? null)
}

/** Rank, phase, finality and repeatability of a status. */
export function factsOf(status: PaymentStatus): StatusFacts {
  return FACTS[status]
}
