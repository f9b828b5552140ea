/**
 * How fast one site is read: a token bucket for one read, whose rate falls and rises by additive increase, multiplicative decrease
 * (https://en.wikipedia.org/wiki/Additive_increase/multiplicative_decrease). Instants are milliseconds since the epoch by the database's clock.
 */
export type ReadPace = {
  /** Ten-thousandths of the full rate. */
  readonly share: number
  /** Instant of the last slot; it may lie ahead. */
  readonly lastAt: number
  /** When the rate was halved last. */
  readonly halvedAt: number
  /** End of the pause that the payments API asked for. */
  readonly closedUntil: number
}

/** The share of the full rate. */
const FULL = 10_000
/** Minimum rate of a throttled site: a sixteenth of the full rate. */
const LEAST = FULL / 16
/** What each answer restores: forty answers from nothing to the full rate. */
const RECOVERED = FULL / 40

/** Milliseconds. No pause is longer, and no slot is further ahead, unless a clock that has been set back since wrote it. */
export const MOST_AHEAD_MS = 5 * 60_000

/** The pace of a site that was not read yet. */
export const FULL_PACE: ReadPace = { share: FULL, lastAt: 0, halvedAt: 0, closedUntil: 0 }

export type SlotRequest = {
  readonly now: number
  /** Full rate of the site, in reads per second. */
  readonly perSecond: number
  /** Reads that were answered since the last request of this process: they raise the rate. */
  readonly answers: number
  /** Instant of the last slot of this process whose read was answered; 0 before the first. */
  readonly answeredAt: number
  /** Whether a person waits for the read: then a pause does not stop it. */
  readonly isPersonal: boolean
}

export type ReadSlot = {
  /** Instant of the slot; null during a pause. */
  readonly at: number | null
  /** End of the pause that the payments API asked for; in the past if there is none. */
  readonly closedUntil: number
}

/** Takes the next slot for a read. Returns the pace after it. */
export function takeSlot(stored: ReadPace, request: SlotRequest): { readonly pace: ReadPace; readonly slot: ReadSlot } {
  const { now, perSecond, answers, answeredAt, isPersonal } = request
  const pace = faster(withoutFuture(stored, now), answers, answeredAt)
  const { closedUntil } = pace
  if (!isPersonal && closedUntil > now) return { pace, slot: { at: null, closedUntil } }
  const at = Math.max(now, Math.round(pace.lastAt + (1000 * FULL) / (perSecond * pace.share)))
  return { pace: { ...pace, lastAt: at }, slot: { at, closedUntil } }
}

export type ThrottledRead = {
  /** Instant of its slot. */
  readonly sentAt: number
  readonly now: number
  /** Null if the payments API named no time. */
  readonly retryAfterMs: number | null
}

/**
 * Returns the pace after a read was throttled. Reads that were in progress together are throttled together: the rate is halved once for
 * them, not several times.
 */
export function slower(stored: ReadPace, { sentAt, now, retryAfterMs }: ThrottledRead): ReadPace {
  const pace = withoutFuture(stored, now)
  const asked = retryAfterMs === null ? 0 : now + Math.min(retryAfterMs, MOST_AHEAD_MS)
  const closedUntil = Math.max(pace.closedUntil, asked)
  if (sentAt <= pace.halvedAt) return { ...pace, closedUntil }
  return { ...pace, closedUntil, share: Math.max(Math.floor(pace.share / 2), LEAST), halvedAt: now }
}

/**
 * Returns the pace after so many reads were answered, of which the last had its slot at `sentAt`. One that was sent after the last refusal
 * shows that the pause is over.
 */
function faster(pace: ReadPace, answers: number, sentAt: number): ReadPace {
  if (answers === 0) return pace
  const share = Math.min(FULL, pace.share + answers * RECOVERED)
  return { ...pace, share, closedUntil: sentAt > pace.halvedAt ? 0 : pace.closedUntil }
}

/** Returns a stored pace without the instants that a wrong clock, as that of a failed server, has written too far ahead. */
function withoutFuture({ share, ...instants }: ReadPace, now: number): ReadPace {
  const past = (instant: number) => (instant > now + MOST_AHEAD_MS ? 0 : instant)
  return {
    share,
    lastAt: past(instants.lastAt),
    halvedAt: past(instants.halvedAt),
    closedUntil: past(instants.closedUntil),
  }
}

/** Who waits for a slot: a person, a planned read, or a comparison with a list. */
export type Urgency = 'person' | 'planned' | 'comparison'

/** Most urgent first. */
export const URGENCIES: readonly Urgency[] = ['person', 'planned', 'comparison']

/** A read that waits is served first after this many others, so that nobody waits for ever. */
const PATIENCE = 2

/** The order in which the slots of one site are given to waiting reads. */
type ReadOrder = {
  /** Returns the next urgency among those for which `waits` returns true; null if there is none. Has no side effect. */
  next(waits: (urgency: Urgency) => boolean): Urgency | null
  /** Records that a read was granted while the urgencies for which `waits` returns true were waiting. */
  granted(urgency: Urgency, waits: (urgency: Urgency) => boolean): void
}

/** Creates the order: the most urgent first, except for one that was passed over twice. */
export function createReadOrder(): ReadOrder {
  const passedOver: Record<Urgency, number> = { person: 0, planned: 0, comparison: 0 }
  return {
    next: (waits) =>
      URGENCIES.find((urgency) => waits(urgency) && passedOver[urgency] >= PATIENCE) ?? URGENCIES.find(waits) ?? null,
    granted(urgency, waits) {
      for (const other of URGENCIES) passedOver[other] = other !== urgency && waits(other) ? passedOver[other] + 1 : 0
    },
  }
}
