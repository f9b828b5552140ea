import type { Urgency } from '../domain/reads/read-pace.ts'
import { withTimeout, type Timer } from '../lib/timers.ts'
import type { Logger } from '../observability/logger.ts'
import { LeaseLostError } from '../store/store-errors.ts'
import type { PaceStore, ReadSlot, Store } from '../store/store.ts'
import type { HeldLease } from './upkeep.ts'

/** The slots of one site, which all processes on the database share. No method rejects or throws. */
export type SharedPace = {
  /**
   * Takes a slot for a read. For urgency `person` it is the next free one, so that planned reads come after those that a person waits for
   * at any process. A planned read gets a slot that is free now, and a later one only after it was passed over for a while.
   */
  take(urgency: Urgency): Promise<SharedSlot>
  /** Gives back a slot whose read was not sent. */
  release(at: number): void
  /** Reports that a read was answered. */
  answered(): void
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
      const slot = await paces.take(site, { now, perSecond, answers: told, aheadMs, lease })
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
    answered: () => (answers += 1),
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
