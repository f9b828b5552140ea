import type { ReadClass } from './read-schedule.ts'

/** Who a read of the payments API is for: a person who waits for it, or one of the classes of planned reads. */
export type Urgency = 'person' | ReadClass

/** Most urgent first. */
export const URGENCIES: readonly Urgency[] = ['person', 'doubt', 'expiry', 'poll']

/** After so many reads of others, one that waits goes first: so each class has a share of the budget at any load. */
const PATIENCE: Readonly<Record<Urgency, number>> = {
  person: Number.POSITIVE_INFINITY,
  doubt: 2,
  expiry: 4,
  poll: 8,
}

/** In which order one site's budget goes to those who wait for it. */
export type ReadOrder = {
  /** Who is next among those for whom `waits` holds; null when nobody waits. Changes nothing. */
  next(waits: (urgency: Urgency) => boolean): Urgency | null
  /** Whether so many others were granted while this one waited that its share is due. */
  isOverdue(urgency: Urgency): boolean
  /** Notes that one was granted while those for whom `waits` holds were waiting. */
  granted(urgency: Urgency, waits: (urgency: Urgency) => boolean): void
}

/**
 * The most urgent goes first, except for one that was passed over so often that its share is due: expiry has at least a
 * fifth of the budget, and polls a ninth. A doubt waits for at most two reads of other classes.
 */
export function createReadOrder(): ReadOrder {
  const passedOver: Record<Urgency, number> = { person: 0, doubt: 0, expiry: 0, poll: 0 }
  const isOverdue = (urgency: Urgency) => passedOver[urgency] >= PATIENCE[urgency]
  return {
    isOverdue,
    next: (waits) => URGENCIES.find((urgency) => waits(urgency) && isOverdue(urgency)) ?? URGENCIES.find(waits) ?? null,
    granted(urgency, waits) {
      for (const other of URGENCIES) passedOver[other] = other !== urgency && waits(other) ? passedOver[other] + 1 : 0
    },
  }
}
