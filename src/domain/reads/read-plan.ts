import type { PlannedRead, ReadClass } from './read-schedule.ts'

/** When something is read next. All instants are milliseconds since the epoch. */
export type ReadPlan = {
  /** Null while no read is planned; then the class tells nothing. */
  readonly dueAt: number | null
  readonly readClass: ReadClass
  /** Failed or fruitless reads in a row. */
  readonly failures: number
}

/** The plan after a read that showed something; null plans none. */
export function planAnew(plan: ReadPlan, next: PlannedRead | null): ReadPlan {
  return { dueAt: next?.at ?? null, readClass: next?.readClass ?? plan.readClass, failures: 0 }
}

/** The plan after a read without a result, which is made again at an instant; null for never. */
export function planRetry(plan: ReadPlan, dueAt: number | null): ReadPlan {
  return { ...plan, dueAt, failures: plan.failures + 1 }
}

/**
 * The plan with a read at an instant, or earlier. A doubt counts from the instant at which it arose, so it replaces a poll
 * that was due before; of two doubts, or two others, the one that is due first stays.
 */
export function planNoLater(plan: ReadPlan, { at, readClass }: PlannedRead): ReadPlan {
  const { dueAt, readClass: planned } = plan
  const isSooner = dueAt !== null && dueAt < at
  if (readClass === 'doubt') return isSooner && planned === 'doubt' ? plan : { ...plan, dueAt: at, readClass }
  const keepsClass = dueAt !== null && (isSooner || planned === 'doubt')
  return { ...plan, dueAt: isSooner ? dueAt : at, readClass: keepsClass ? planned : readClass }
}

/** The plan with another poll, after a change at `now`: a read that is due already, or is to be tried again sooner, stays. */
export function replacePoll(plan: ReadPlan, next: PlannedRead | null, now: number): ReadPlan {
  const { dueAt, failures } = plan
  const stays = dueAt !== null && (dueAt <= now || (failures > 0 && next !== null && dueAt < next.at))
  return stays ? plan : { dueAt: next?.at ?? null, readClass: next?.readClass ?? 'poll', failures }
}
