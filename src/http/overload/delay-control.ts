/** Decides from the delay of a queue whether there is more work than can be done. */
export type DelayControl = {
  /** Counts one that has come. */
  arrived(): void
  /** Counts one that has begun. */
  begun(): void
  /** Takes notice of how long the oldest has waited, in milliseconds; 0 when the queue is empty. */
  observe(ageMs: number): void
  /** How many may wait: without bound, or while overloaded as many as begin in half a second. */
  limit(): number
}

/** A queue in which more comes than begins is an overload when its oldest has waited so long: what a refusal costs a client. */
const GROWING_MS = 1_000
/** A queue that merely does not shrink is one after this time: clients that each wait for their answer make such a queue. */
const STANDING_MS = 5_000
/** The overload is over when the oldest has waited less than this. */
const CALM_MS = 250
/** Arrivals and beginnings are compared over this time; and so long may a queue be while overloaded. */
const WINDOW_MS = 500
/** As many may always wait. */
const MIN_LIMIT = 32
/** How far arrivals must exceed beginnings for a queue to grow, and how far they may stay below for it to stand. */
const GROWTH = 1.1
const DECLINE = 0.9

/**
 * Controlled delay (RFC 8289), for requests: a queue that has not been empty for a second, and into which more comes than
 * begins, is too much work. A burst is a queue too, but it shrinks; and a fixed number of clients that each wait for their answer
 * make a queue that does not grow. `now` is a clock in milliseconds that stands still while the process does.
 */
export function createDelayControl(now: () => number): DelayControl {
  let overloaded = false
  let window = { since: now(), arrived: 0, begun: 0 }
  let limit = Infinity

  const isTooMuch = (ageMs: number) =>
    (ageMs > GROWING_MS && window.arrived > window.begun * GROWTH) ||
    (ageMs > STANDING_MS && window.arrived >= window.begun * DECLINE)
  const endWindow = (at: number, ageMs: number) => {
    overloaded ||= isTooMuch(ageMs)
    limit = overloaded ? Math.max(MIN_LIMIT, (window.begun * WINDOW_MS) / (at - window.since)) : Infinity
    window = { since: at, arrived: 0, begun: 0 }
  }
  return {
    arrived() {
      window.arrived += 1
    },
    begun() {
      window.begun += 1
    },
    observe(ageMs) {
      const at = now()
      if (ageMs < CALM_MS) overloaded = false
      if (!overloaded) limit = Infinity
      if (at - window.since >= WINDOW_MS) endWindow(at, ageMs)
    },
    limit: () => limit,
  }
}
