import type { ReadClass } from './read-schedule.ts'

/**
 * How fast one site is read: additive increase, multiplicative decrease
 * (https://en.wikipedia.org/wiki/Additive_increase/multiplicative_decrease). Instants are milliseconds of one clock.
 */
export type ReadPace = {
  /** Ten-thousandths of the full rate. */
  readonly share: number
  /** Instants of the last reads, oldest first; they may lie ahead. */
  readonly slots: readonly number[]
  /** When the rate was halved last. */
  readonly halvedAt: number
  /** End of the pause that the payments API asked for. */
  readonly closedUntil: number
}

/** The share of the full rate. */
const FULL = 10_000
/** Reads allowed in a burst; the rate then requires the time they are worth, so that the rate holds in every second. */
const BURST = 2
/** Minimum rate of a throttled site: a sixteenth of the full rate. */
const LEAST = FULL / 16
/** What each answer restores: forty answers from nothing to the full rate. */
const RECOVERED = FULL / 40

/** The pace of a site that was not read yet. */
export const FULL_PACE: ReadPace = { share: FULL, slots: [], halvedAt: -1, closedUntil: 0 }

/** Returns the instant at which the rate allows the next read: `now` or later, and not before the last one. */
export function nextSlot({ share, slots }: ReadPace, now: number, perSecond: number): number {
  const before = slots.at(-BURST)
  const allowed = before === undefined ? now : before + (BURST * 1000 * FULL) / (perSecond * share)
  return Math.max(now, allowed, slots.at(-1) ?? now)
}

/** Counts a read at an instant. */
export function withSlot(pace: ReadPace, at: number): ReadPace {
  // One more than the burst, in case the last is given back.
  return { ...pace, slots: [...pace.slots, at].slice(-BURST - 1) }
}

/** Takes back the last read if it is the one of this instant, because it was not sent. */
export function withoutSlot(pace: ReadPace, at: number): ReadPace {
  return pace.slots.at(-1) === at ? { ...pace, slots: pace.slots.slice(0, -1) } : pace
}

/**
 * Returns the pace after a read that was sent at `sentAt` was throttled. Reads that were in progress together are throttled together: the
 * rate is halved once for them, not several times.
 */
export function slower(
  pace: ReadPace,
  {
    sentAt,
    now,
    retryAfterMs,
  }: { readonly sentAt: number; readonly now: number; readonly retryAfterMs: number | null },
): ReadPace {
  const closedUntil = Math.max(pace.closedUntil, now + (retryAfterMs ?? 0))
  if (sentAt <= pace.halvedAt) return { ...pace, closedUntil }
  return { ...pace, closedUntil, share: Math.max(Math.floor(pace.share / 2), LEAST), halvedAt: now }
}

/** Milliseconds. No pause is longer, and no slot is further ahead, unless a clock that has been set back since wrote it. */
export const MOST_AHEAD_MS = 5 * 60_000

/** Returns a stored pace without the instants that a wrong clock, as that of a failed server, or another version has written too far ahead. */
export function withoutFuture({ share, slots, halvedAt, closedUntil }: ReadPace, now: number): ReadPace {
  const latest = now + MOST_AHEAD_MS
  return {
    share,
    slots: (slots.at(-1) ?? now) > latest ? [] : slots,
    halvedAt: halvedAt > latest ? FULL_PACE.halvedAt : halvedAt,
    closedUntil: closedUntil > latest ? FULL_PACE.closedUntil : closedUntil,
  }
}

/**
 * Returns the pace after so many reads were answered, of which the last was sent at `sentAt`. One that was sent after the last refusal shows
 * that the pause is over.
 */
export function faster(pace: ReadPace, answers: number, sentAt: number): ReadPace {
  if (answers === 0) return pace
  const share = Math.min(FULL, pace.share + answers * RECOVERED)
  return { ...pace, share, closedUntil: sentAt > pace.halvedAt ? FULL_PACE.closedUntil : pace.closedUntil }
}

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
type ReadOrder = {
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
