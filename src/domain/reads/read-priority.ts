import type { ReadClass } from './read-schedule.ts'

/** The urgency of a read of the payments API: for a person who waits for it, or one of the classes of planned reads. */
export type Urgency = 'person' | ReadClass

/** Most urgent first. */
export const URGENCIES: readonly Urgency[] = ['person', 'doubt', 'expiry', 'poll']

/** A waiting read goes first after this many reads of others, so each class has a share of the budget at any load. */
const PATIENCE: Readonly<Record<Urgency, number>> = {
  person: Number.POSITIVE_INFINITY,
  doubt: 2,
  expiry: 4,
  poll: 8,
}

/** The order in which one site's budget is granted. */
export type ReadOrder = {
  /** Returns the next urgency among those for which `waits` returns true; null without any. Changes nothing. */
  next(waits: (urgency: Urgency) => boolean): Urgency | null
  /** Returns whether so many others were granted during its wait that its share is due. */
  isOverdue(urgency: Urgency): boolean
  /** Records a grant, and which other urgencies were waiting according to `waits`. */
  granted(urgency: Urgency, waits: (urgency: Urgency) => boolean): void
}

/**
 * Creates an order in which the most urgent goes first, unless another was passed over so often that its share is due: expiry has at least
 * a fifth of the budget, and polls a ninth. A doubt waits for at most two reads of other classes.
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
