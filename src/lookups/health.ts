import type { Store } from '../ledger/store.ts'
import type { PaymentsDeliveryBacklog } from '../store/store.ts'
import type { PaymentsReadBacklog } from '../store/subject-stores.ts'
import type { Sites } from '../upstream/client/sites.ts'
import type { MethodCache } from '../upstream/methods/method-cache.ts'
import type { BreakerState } from '../upstream/resilience/breaker.ts'
import type { SiteState, SiteStates } from '../upstream/site-states.ts'

/** State of this process and of the payments API. Makes no call to the payments API. */
export type Health = {
  sites(): readonly PaymentsSiteHealth[]
  /** Rejects if the store fails. */
  reads(): Promise<PaymentsReadBacklog>
  /** Rejects if the store fails. */
  deliveries(): Promise<PaymentsDeliveryBacklog>
  streams(): PaymentsOpenStreams
  /** Rejects if the store fails. */
  reader(): Promise<PaymentsReaderHealth>
}

/** Who makes the planned reads. */
export type PaymentsReaderHealth = {
  /** This process does. */
  readonly here: boolean
  /** Until when a process has the right to, unless it is renewed, by the database's clock; null if none has it. */
  readonly leaseUntil: Date | null
}

export type PaymentsSiteHealth = {
  readonly id: string
  /** Upper-case currency codes. */
  readonly currencies: readonly string[]
  readonly availability: 'AVAILABLE' | 'CREDENTIALS_REJECTED' | 'PROBING' | 'READS_PAUSED' | 'UNAVAILABLE'
  /** Time of the last successful answer of the payments API; null if there was none yet. */
  readonly lastAnswerAt: Date | null
  /** When the list of checkout methods was read; null if there is none. */
  readonly methodsFetchedAt: Date | null
  readonly methodsStale: boolean
}

export type PaymentsOpenStreams = {
  readonly sockets: number
  readonly eventStreams: number
  readonly callbacks: number
  /** Number of open event streams. */
  readonly subscriptions: number
}

export type HealthParts = {
  readonly sites: Sites
  readonly states: Pick<SiteStates, 'of'>
  readonly methods: Pick<MethodCache<never>, 'freshness'>
  readonly store: {
    readonly reads: Pick<Store['reads'], 'backlog'>
    readonly inbox: Pick<Store['inbox'], 'backlog'>
    readonly leases: Pick<Store['leases'], 'heldUntil'>
    readonly now: Store['now']
  }
  readonly isLeader: () => boolean
  /** Milliseconds for which no planned read of a site is made; 0 if they are made. */
  readonly heldMs: (site: string) => number
  readonly clock: () => Date
  readonly streams: () => PaymentsOpenStreams
}

export function createHealth(parts: HealthParts): Health {
  const { sites, states, methods, store, isLeader, heldMs, clock, streams } = parts
  return {
    sites: () =>
      sites.all.map(({ id, currencies }) => {
        const state = states.of({ id })
        const list = methods.freshness(id)
        return {
          id,
          currencies,
          availability: availabilityOf(state, heldMs(id)),
          lastAnswerAt: state.lastAnswerAt,
          methodsFetchedAt: list?.fetchedAt ?? null,
          methodsStale: list?.stale ?? false,
        }
      }),
    reads: () => store.reads.backlog(clock()),
    deliveries: () => store.inbox.backlog(),
    streams,
    reader: async () => ({ here: isLeader(), leaseUntil: await store.leases.heldUntil('reader', await store.now()) }),
  }
}

function availabilityOf(
  { breaker, credentialsRejected }: SiteState,
  heldMs: number,
): PaymentsSiteHealth['availability'] {
  if (breaker !== 'closed') return AVAILABILITIES[breaker]
  if (credentialsRejected) return 'CREDENTIALS_REJECTED'
  return heldMs > 0 ? 'READS_PAUSED' : 'AVAILABLE'
}

const AVAILABILITIES: Readonly<Record<Exclude<BreakerState, 'closed'>, PaymentsSiteHealth['availability']>> = {
  'half-open': 'PROBING',
  open: 'UNAVAILABLE',
}
