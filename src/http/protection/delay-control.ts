/** Milliseconds between two ticks. */
export const TICK_MS = 100

/** Detects overload from the delay of a queue. */
export type DelayControl = {
  /** Counts an arrival. */
  arrived(): void
  /** Counts a start. */
  begun(): void
  /** Ends a tick. `age`: how many ticks the oldest request has waited; 0 if the queue is empty. */
  tick(age: number): void
  /** Capacity of the queue: unbounded, or while overloaded as many as begin in half a second. */
  limit(): number
}

/** Number of ticks in so many milliseconds. */
const ticks = (milliseconds: number) => milliseconds / TICK_MS
/** A growing queue is an overload when its oldest request has waited so long, which is also what a refusal costs a client. */
const GROWING = ticks(1_000)
/** A queue that does not shrink is an overload after this time; clients that wait for their answers cause such queues, too. */
const STANDING = ticks(5_000)
/** The overload ends when the oldest request has waited less than this. */
const CALM = ticks(300)
/** Interval over which arrivals and starts are compared; also the queue's length in time while overloaded. */
const WINDOW = ticks(500)
/** Smallest capacity. */
const MIN_LIMIT = 32
/** Ratio of arrivals to starts above which a queue grows, and above which it does not shrink. */
const GROWTH = 1.1
const DECLINE = 0.9

/**
 * Controlled delay (RFC 8289) for requests: a queue that has not been empty for a second and that grows is an overload. A burst is a
 * queue too, but it shrinks, and clients that wait for their answers make a queue that does not grow. Time is counted in ticks of a timer,
 * so that none passes while the event loop is held up or the process is suspended.
 */
export function createDelayControl(): DelayControl {
  let isOverloaded = false
  let limit = Infinity
  let counts = { ticks: 0, arrived: 0, begun: 0 }

  const isTooMuch = (age: number) =>
    (age > GROWING && counts.arrived > counts.begun * GROWTH) ||
    (age > STANDING && counts.arrived >= counts.begun * DECLINE)
  return {
    arrived() {
      counts.arrived += 1
    },
    begun() {
      counts.begun += 1
    },
    tick(age) {
      counts.ticks += 1
      if (age < CALM) isOverloaded = false
      else if (counts.ticks >= WINDOW) isOverloaded ||= isTooMuch(age)
      if (!isOverloaded) limit = Infinity
      if (counts.ticks < WINDOW) return
      if (isOverloaded) limit = Math.max(MIN_LIMIT, counts.begun)
      counts = { ticks: 0, arrived: 0, begun: 0 }
    },
    limit: () => limit,
  }
}
