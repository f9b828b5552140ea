import type { ReadClass } from './read-schedule.ts'

/** The urgency of a read of the payments API: for a person who waits for it, or one of the classes of planned reads. */
export type Urgency = 'person' | ReadClass

/** Most urgent first. */
export const URGENCIES: readonly Urgency[] = ['person', 'doubt', 'expiry', 'poll']

/** A read that waits is served first after this many reads of other urgencies, so each class has a share of the budget at any load. */
const PATIENCE: Readonly<Record<Urgency, number>> = {
  person: Number.POSITIVE_INFINITY,
  doubt: 2,
  expiry: 4,
  poll: 8,
}

/** The order in which one site's budget is assigned to waiting reads. */
export type ReadOrder = {
  /** Returns the next urgency among those for which `waits` returns true; null if there is none. Has no side effect. */
  next(waits: (urgency: Urgency) => boolean): Urgency | null
  /** Returns whether so many others were granted while this one waited that its share is due. */
  isOverdue(urgency: Urgency): boolean
  /** Records that a read was granted while the urgencies for which `waits` returns true were waiting. */
  granted(urgency: Urgency, waits: (urgency: Urgency) => boolean): void
}

/**
 * Creates the order: the most urgent first, except for one that was passed over so often that its share is due. Under full load, expiry
 * gets about a sixth of the budget or more, and polls about a tenth. A doubt waits for at most two reads of other classes.
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
