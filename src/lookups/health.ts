import { statfs } from 'node:fs/promises'
import type { Store } from '../ledger/store.ts'
import type { PaymentsDeliveryBacklog } from '../store/port.ts'
import type { PaymentsReadBacklog } from '../store/subject-stores.ts'
import type { Sites } from '../upstream/client/sites.ts'
import type { MethodCache } from '../upstream/methods/method-cache.ts'
import type { BreakerState } from '../upstream/resilience/breaker.ts'
import type { RecentCalls, SiteState, SiteStates } from '../upstream/site-states.ts'
import type { PaymentsWebhookFigures } from '../webhooks/webhook-figures.ts'

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
  webhooks(): PaymentsWebhookFigures
  /** Rejects if the store fails. */
  node(): Promise<PaymentsNodeHealth>
}

/** How this process keeps up with the log, and what room its disk has. */
export type PaymentsNodeHealth = {
  /** Events of the log that it has not read. */
  readonly behind: number
  /** Of the file system with the database; null if the database is on a server. */
  readonly disk: { readonly freeMegabytes: number; readonly totalMegabytes: number } | null
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
  readonly availability: 'AVAILABLE' | 'CREDENTIALS_REJECTED' | 'FAILING' | 'PROBING' | 'READS_PAUSED' | 'UNAVAILABLE'
  /** Time of the last successful answer of the payments API; null if there was none yet. */
  readonly lastAnswerAt: Date | null
  readonly lastFailureAt: Date | null
  readonly calls: RecentCalls
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
  readonly states: Pick<SiteStates, 'of' | 'recentOf'>
  readonly methods: Pick<MethodCache<never>, 'freshness'>
  readonly store: {
    readonly reads: Pick<Store['reads'], 'backlog'>
    readonly inbox: Pick<Store['inbox'], 'backlog'>
    readonly leases: Pick<Store['leases'], 'heldUntil'>
    readonly now: Store['now']
    readonly log: Pick<Store['log'], 'head'>
  }
  readonly isLeader: () => boolean
  /** Milliseconds for which no planned read of a site is made; 0 if they are made. */
  readonly heldMs: (site: string) => number
  readonly clock: () => Date
  readonly streams: () => PaymentsOpenStreams
  readonly webhooks: () => PaymentsWebhookFigures
  /** Position up to which this process has read the log. */
  readonly position: () => number
  /** The folder of the database; null if it is on a server. */
  readonly folder: string | null
}

export function createHealth(parts: HealthParts): Health {
  const { sites, states, methods, store, isLeader, heldMs, clock, streams, webhooks, position, folder } = parts
  return {
    sites: () =>
      sites.all.map(({ id, currencies }) => {
        const state = states.of({ id })
        const list = methods.freshness(id)
        return {
          id,
          currencies,
          availability: availabilityOf(state, states.recentOf({ id }), heldMs(id)),
          lastAnswerAt: state.lastAnswerAt,
          lastFailureAt: state.lastFailureAt,
          calls: states.recentOf({ id }),
          methodsFetchedAt: list?.fetchedAt ?? null,
          methodsStale: list?.stale ?? false,
        }
      }),
    reads: () => store.reads.backlog(clock()),
    deliveries: () => store.inbox.backlog(),
    streams,
    webhooks,
    async node() {
      const read = position()
      const [head, disk] = await Promise.all([store.log.head(), folder === null ? null : statfs(folder)])
      return {
        behind: Math.max(0, head - read),
        disk: disk && {
          freeMegabytes: Math.floor((disk.bavail * disk.bsize) / 1e6),
          totalMegabytes: Math.floor((disk.blocks * disk.bsize) / 1e6),
        },
      }
    },
    reader: async () => ({ here: isLeader(), leaseUntil: await store.leases.heldUntil('reader', await store.now()) }),
  }
}

/** So many failures in a row are an outage, also where the breaker has not seen enough of them to open. */
const FAILURES_IN_ROW = 3

function availabilityOf(
  { breaker, credentialsRejected, failuresInRow }: SiteState,
  { count, failedCount }: RecentCalls,
  heldMs: number,
): PaymentsSiteHealth['availability'] {
  if (breaker !== 'closed') return AVAILABILITIES[breaker]
  if (credentialsRejected) return 'CREDENTIALS_REJECTED'
  if (failuresInRow >= FAILURES_IN_ROW || (count > 0 && failedCount === count)) return 'FAILING'
  return heldMs > 0 ? 'READS_PAUSED' : 'AVAILABLE'
}

const AVAILABILITIES: Readonly<Record<Exclude<BreakerState, 'closed'>, PaymentsSiteHealth['availability']>> = {
  'half-open': 'PROBING',
  open: 'UNAVAILABLE',
}
