import { randomUUID } from 'node:crypto'
import type { KeyRing } from '../keys/key-ring.ts'
import type { Store } from '../ledger/store.ts'
import type { Timer } from '../lib/timers.ts'
import type { Logger } from '../observability/logger.ts'
import type { Metrics } from '../observability/metrics/metrics.ts'
import { startErasures, type RetentionOptions, startRetention } from '../retention/retention.ts'
import type { ReadSubject } from '../store/subject-stores.ts'
import type { Sites } from '../upstream/client/sites.ts'
import type { SiteStates } from '../upstream/site-states.ts'
import type { UpstreamClient } from '../upstream/upstream-client.ts'
import { createReader } from './due-reader.ts'
import { createPaymentFinder, type PaymentFinder, startImporter } from './imports/importer.ts'
import { createReadBudget } from './read-budget.ts'
import type { ReadResult } from './single-flight-reader.ts'
import { startReplays } from './start-replays.ts'
import { createReadables } from './subject-readers.ts'
import { createLeader, startUpkeep } from './upkeep.ts'

/** Everything that calls the payments API without a client's request. */
export type Reconciliation = {
  readonly readPayment: (subject: ReadSubject) => Promise<ReadResult>
  readonly paymentFinder: PaymentFinder
  /** Whether this process is the leader, which makes the planned reads. */
  isLeader(): boolean
  /** Milliseconds for which this process makes no planned read of a site, because the last reads had trouble; 0 if it may. */
  heldMs(site: string): number
  /** Starts the reads that are due; call it whenever one may have fallen due. */
  wake(): void
  /** Continues erasures that are not done, if this process is the leader; otherwise the leader does within ten seconds. */
  continueErasures(): void
  /** The same of imports, which the leader takes up within five seconds. */
  continueImports(): void
  /** The same of replays of deliveries. */
  continueReplays(): void
  /** Starts the reads that an earlier run left due, once this process is the leader. */
  start(): void
  /** Resolves when no read is in progress. */
  idle(): Promise<void>
  close(): Promise<void>
}

type ReconciliationNeeds = {
  readonly store: Store
  readonly upstream: UpstreamClient
  readonly sites: Sites
  readonly states: Pick<SiteStates, 'of'>
  readonly keys: KeyRing
  readonly retention: Pick<RetentionOptions, 'settings' | 'folder'>
  /** Whether each day is compared with the payments API's lists. */
  readonly isDaily: boolean
  readonly logger: Logger
  readonly clock: () => Date
  readonly timer: Timer
  readonly observe: Pick<Metrics, 'readEnded' | 'swept' | 'rowsArchived'>
}

/** Creates the readers of payments, agreements and payouts, the leader election, the upkeep, the retention, the erasures, the imports and the replays. */
export function createReconciliation(needs: ReconciliationNeeds): Reconciliation {
  const { store, upstream, sites, states, keys, retention: kept, isDaily, logger, clock, timer, observe } = needs
  const leader = createLeader({
    store,
    owner: randomUUID(),
    logger,
    timer,
    onGained: async () => {
      await upkeep.run()
      reader.wake()
      // Not awaited, since it may take minutes.
      void retention.run()
      void erasures.run()
      void importer.run()
      void replays.run()
    },
  })
  const isLeader = () => leader.lease() !== null
  const budget = createReadBudget({ store, leader, timer, logger })
  const readables = createReadables({ store, upstream, sites, clock })
  const { find, siteOf } = readables
  const reader = createReader({
    reads: store.reads,
    find,
    sites: readables.sites,
    siteOf,
    budget,
    logger,
    clock,
    timer,
    leader,
    onRead: observe.readEnded,
  })
  const retention = startRetention({
    ...kept,
    store: store.retention,
    logger,
    clock,
    timer,
    isLeader,
    onArchived: observe.rowsArchived,
  })
  const erasures = startErasures({ store: store.erasures, logger, clock, timer, isLeader })
  const found = { upstream, sites, budget, keys, erasures: store.erasures }
  const importer = startImporter({
    ...found,
    store,
    imports: store.imports,
    logger,
    clock,
    timer,
    leader,
    isDaily,
    isRejected: (site) => states.of(site).credentialsRejected,
    onRecorded: reader.wake,
  })
  const replays = startReplays({ store, logger, clock, timer, leader, onReplayed: () => reader.wake() })
  const upkeep = startUpkeep({
    store,
    logger,
    clock,
    timer,
    leader,
    compare: importer.compare,
    onSwept() {
      observe.swept()
      reader.wake()
    },
  })
  let started: Promise<void> = Promise.resolve()

  return {
    readPayment: (subject) => reader.read(readables.ofPayment(subject)),
    paymentFinder: createPaymentFinder(found),
    isLeader,
    heldMs: budget.heldMs,
    wake: reader.wake,
    continueErasures: () => void erasures.run(),
    continueImports: () => void importer.run(),
    continueReplays: () => void replays.run(),
    start() {
      started = leader.start()
    },
    async idle() {
      await started
      await reader.idle()
    },
    async close() {
      await started
      budget.close()
      await Promise.all([upkeep.close(), retention.close(), erasures.close(), importer.close(), replays.close()])
      await reader.close()
      await leader.close()
    },
  }
}
