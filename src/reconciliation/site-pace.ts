import {
  FULL_PACE,
  faster,
  nextSlot,
  type ReadPace,
  slower,
  withoutSlot,
  withSlot,
  type Urgency,
} from '../domain/reads/read-pace.ts'
import { withTimeout, type Timer } from '../lib/timers.ts'
import type { Logger } from '../observability/logger.ts'
import { LeaseLostError } from '../store/store-errors.ts'
import type { PaceStore, ReadSlot, Store } from '../store/store.ts'
import { UpstreamFault } from '../upstream/client/upstream-fault.ts'
import type { HeldLease } from './upkeep.ts'

/** How fast this process may read one site, and whether it may be read at all. All times are in milliseconds of the timer. */
export type SitePace = {
  /** Time until the rate allows the next read; 0 for now. */
  waitMs(): number
  /** Time for which the payments API asked for a pause; 0 if it did not. Only a person's reads are made during it. */
  closedMs(): number
  /** Time for which no planned read is made: never less than `closedMs`. */
  heldMs(): number
  /** Counts a read as sent now, and returns its time. */
  send(): number
  /** Takes back the read that was counted last, because it was not sent. */
  takeBack(): void
  /** Adapts the pace to the result of a read: `error` is null if it was answered. */
  learn(error: unknown, sentAt: number): SiteTrouble | null
  /** Adopts the pace that all processes share. */
  adopt(shared: { readonly share: number; readonly closedMs: number }): void
}

/** The hold doubles with each failure in a row. */
const HOLDS = {
  'out-of-reach': { firstMs: 5_000, longestMs: 60_000 },
  credentials: { firstMs: 60_000, longestMs: 30 * 60_000 },
}

/** Creates the pace of one site in this process. */
export function createSitePace(now: () => number, perSecond: number): SitePace {
  let pace: ReadPace = FULL_PACE
  let heldUntil = Number.NEGATIVE_INFINITY
  let troublesInARow = 0

  const left = (until: number) => Math.max(0, until - now())

  const hold = (kind: keyof typeof HOLDS) => {
    const { firstMs, longestMs } = HOLDS[kind]
    if (left(heldUntil) === 0) troublesInARow += 1
    heldUntil = Math.max(heldUntil, now() + Math.min(firstMs * 2 ** (troublesInARow - 1), longestMs))
  }

  return {
    waitMs: () => left(nextSlot(pace, now(), perSecond)),
    closedMs: () => left(pace.closedUntil),
    heldMs: () => left(Math.max(pace.closedUntil, heldUntil)),
    send() {
      pace = withSlot(pace, now())
      return now()
    },
    takeBack() {
      pace = withoutSlot(pace, pace.slots.at(-1) ?? 0)
    },
    learn(error, sentAt) {
      const trouble = siteTroubleOf(error)
      if (trouble !== null) {
        if (trouble.kind === 'throttled')
          pace = slower(pace, { sentAt, now: now(), retryAfterMs: trouble.retryAfterMs })
        else hold(trouble.kind)
      } else if (wasAnswered(error)) {
        pace = faster(pace, 1, sentAt)
        troublesInARow = 0
        heldUntil = Number.NEGATIVE_INFINITY
      }
      return trouble
    },
    adopt: ({ share, closedMs }) => {
      pace = { ...pace, share, closedUntil: Math.max(pace.closedUntil, now() + closedMs) }
    },
  }
}

/** A failed read that concerns its whole site, and not only its subject. */
export type SiteTrouble = {
  readonly kind: 'throttled' | 'out-of-reach' | 'credentials'
  /** Milliseconds for which the payments API asks for a pause; null if it names no time. */
  readonly retryAfterMs: number | null
  /**
   * Whether the failure may be caused by the subject itself: then it counts as a failed read of the subject, which does not stay
   * first in the queue.
   */
  readonly mayBeItsOwn: boolean
}

/** Returns what the error of a read means for the site; null if it concerns the subject alone. */
function siteTroubleOf(error: unknown): SiteTrouble | null {
  if (!(error instanceof UpstreamFault)) return null
  const { detail } = error
  switch (detail.kind) {
    case 'throttled':
      return { kind: 'throttled', retryAfterMs: millisecondsOf(detail.retryAfterSeconds), mayBeItsOwn: false }
    // A 403 may concern the whole site or one endpoint, as the permissions of its credentials say.
    case 'forbidden':
    case 'credentials':
      return { kind: 'credentials', retryAfterMs: null, mayBeItsOwn: true }
    case 'not-sent':
      // A request stopped by our own validation concerns that request alone; all other causes stop every request of the site.
      return detail.reason === 'invalid-request'
        ? null
        : { kind: 'out-of-reach', retryAfterMs: null, mayBeItsOwn: false }
    case 'unknown':
      return detail.retryAfterSeconds === null
        ? null
        : { kind: 'throttled', retryAfterMs: millisecondsOf(detail.retryAfterSeconds), mayBeItsOwn: true }
    default:
      return null
  }
}

/** Returns whether the payments API answered at all: a refusal is an answer too. */
export function wasAnswered(error: unknown): boolean {
  return error === null || (error instanceof UpstreamFault && (error.kind === 'refused' || error.kind === 'forbidden'))
}

function millisecondsOf(seconds: number | null): number | null {
  return seconds === null ? null : seconds * 1000
}

/** The slots of one site, which all processes on the database share. No method rejects or throws. */
export type SharedPace = {
  /**
   * Takes a slot for a read. For urgency `person` it is the next free one, so that planned reads come after those that a person waits for
   * at any process. A planned read gets a slot that is free now, and a later one only after it was passed over for a while.
   */
  take(urgency: Urgency): Promise<SharedSlot>
  /** Gives back a slot whose read was not sent. */
  release(at: number): void
  /** Reports that the read of a slot was answered; null for a read without a slot. */
  answered(at: number | null): void
  /** Reports that the payments API has throttled the read of a slot; null for a read without a slot. */
  throttled(at: number | null, retryAfterMs: number | null): void
}

/** The pace that all processes have. */
type Shared = { readonly share: number; readonly closedMs: number }

export type SharedSlot =
  /** `inMs`: milliseconds until the slot. `at`: its instant by the database's clock. */
  | ({ readonly kind: 'taken'; readonly inMs: number; readonly at: number } & Shared)
  /** Other reads come first: ask again in so many milliseconds. */
  | ({ readonly kind: 'later'; readonly inMs: number } & Shared)
  /** This process is not the leader. */
  | { readonly kind: 'not-leader' }
  /** The database is slow or down: the process has its own rate for a while. */
  | { readonly kind: 'alone' }

export type SharedPaceOptions = {
  readonly store: Pick<Store, 'now'>
  readonly paces: PaceStore
  readonly site: string
  readonly perSecond: number
  readonly leader: HeldLease
  readonly logger: Logger
  readonly timer: Timer
}

/** Longest time to get a slot from the store, in milliseconds. */
const SLOW_MS = 2_000
/** How long the process then has its own rate, in milliseconds. */
const ALONE_MS = 10_000
/** A planned read takes a slot that is so near, in milliseconds: less than between two slots at the full rate. */
const NEAR_MS = 100
/** After so many milliseconds in which others came first, a planned read takes its turn among them. */
const PASSED_OVER_MS = 5_000

export function createSharedPace(options: SharedPaceOptions): SharedPace {
  const { store, paces, site, perSecond, leader, logger, timer } = options
  let aloneUntil = Number.NEGATIVE_INFINITY
  let answers = 0
  let answeredAt = 0
  let passedOverSince: number | null = null

  const alone = (error: unknown): SharedSlot => {
    aloneUntil = timer.now() + ALONE_MS
    logger.warn({ site, err: error }, 'the database is too slow to share the rate of a site: this process has its own')
    return { kind: 'alone' }
  }

  const ask = async (urgency: Urgency): Promise<SharedSlot> => {
    const lease = urgency === 'person' ? null : leader.lease()
    if (urgency !== 'person' && lease === null) return { kind: 'not-leader' }
    const now = (await store.now()).getTime()
    const askedAt = timer.now()
    const told = answers
    const isOverdue = passedOverSince !== null && askedAt - passedOverSince >= PASSED_OVER_MS
    const aheadMs = urgency === 'person' || isOverdue ? Number.POSITIVE_INFINITY : NEAR_MS
    try {
      const slot = await paces.take(site, { now, perSecond, answers: told, answeredAt, aheadMs, lease })
      answers -= told
      if (urgency !== 'person') passedOverSince = slot.taken ? null : (passedOverSince ?? askedAt)
      return sharedSlot(slot, now + (timer.now() - askedAt))
    } catch (error) {
      if (!(error instanceof LeaseLostError) || lease === null) throw error
      leader.lost(lease)
      return { kind: 'not-leader' }
    }
  }

  /** What fails here only makes the shared rate less exact. */
  const tell = (telling: Promise<void>) => {
    telling.catch((error: unknown) => logger.debug({ site, err: error }, 'the shared rate of a site was not told'))
  }

  return {
    async take(urgency) {
      if (timer.now() < aloneUntil) return { kind: 'alone' }
      return withTimeout(ask(urgency), SLOW_MS, () => alone(null)).catch(alone)
    },
    release: (at) => tell(paces.release(site, at)),
    answered(at) {
      answers += 1
      answeredAt = Math.max(answeredAt, at ?? 0)
    },
    throttled(at, retryAfterMs) {
      const throttle = async () => {
        const now = (await store.now()).getTime()
        await paces.throttle(site, { sentAt: at ?? now, now, retryAfterMs })
      }
      tell(throttle())
    },
  }
}

function sharedSlot({ taken, at, share, closedUntil }: ReadSlot, now: number): SharedSlot {
  const inMs = Math.max(0, at - now)
  const closedMs = Math.max(0, closedUntil - now)
  return taken ? { kind: 'taken', at, inMs, share, closedMs } : { kind: 'later', inMs, share, closedMs }
}
