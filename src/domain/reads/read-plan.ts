import type { PlannedRead, ReadClass } from './read-schedule.ts'

/** The plan for the next read. All instants are milliseconds since the epoch. */
export type ReadPlan = {
  /** Null if no read is planned; then the class has no meaning. */
  readonly dueAt: number | null
  readonly readClass: ReadClass
  /** Number of consecutive reads that failed or returned nothing usable. */
  readonly failures: number
}

/** Returns the plan after a read with a result. Null plans no read. */
export function planAnew(plan: ReadPlan, next: PlannedRead | null): ReadPlan {
  return { dueAt: next?.at ?? null, readClass: next?.readClass ?? plan.readClass, failures: 0 }
}

/** Returns the plan after a read without a result: a retry at an instant, or none if it is null. */
export function planRetry(plan: ReadPlan, dueAt: number | null): ReadPlan {
  return { ...plan, dueAt, failures: plan.failures + 1 }
}

/**
 * Returns the plan with a read at an instant, or earlier. The age of a doubt counts from the instant at which it arose, so a doubt replaces
 * other reads, even if they are due earlier. Of two doubts, or of two other reads, the one that is due first stays.
 */
export function planNoLater(plan: ReadPlan, { at, readClass }: PlannedRead): ReadPlan {
  const { dueAt, readClass: planned } = plan
  const isSooner = dueAt !== null && dueAt < at
  if (readClass === 'doubt') return isSooner && planned === 'doubt' ? plan : { ...plan, dueAt: at, readClass }
  const keepsClass = dueAt !== null && (isSooner || planned === 'doubt')
  return { ...plan, dueAt: isSooner ? dueAt : at, readClass: keepsClass ? planned : readClass }
}

/** Returns the plan with another poll, after a change at `now`. A read that is already due, or a retry that is due earlier, stays. */
export function replacePoll(plan: ReadPlan, next: PlannedRead | null, now: number): ReadPlan {
  const { dueAt, failures } = plan
  const stays = dueAt !== null && (dueAt <= now || (failures > 0 && next !== null && dueAt < next.at))
  return stays ? plan : { dueAt: next?.at ?? null, readClass: next?.readClass ?? 'poll', failures }
}
