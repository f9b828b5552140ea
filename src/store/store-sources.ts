import type { StoreMetrics, StoreSources } from '../observability/metrics/store-metrics.ts'
import type { CommitObserver } from './group-commit.ts'
import type { Database } from './port.ts'
import type { StoreWatch } from './store-watch.ts'

type SourcesOptions = Pick<StoreSources, 'position' | 'isUp'> & {
  /** Called at each scrape. */
  readonly store: () => Pick<Database, 'figures' | 'log' | 'now'>
  /** Whether the database has a clock of its own. */
  readonly isOnServer: boolean
}

/** Returns what the metrics read of the database at each scrape. */
export function storeSources({ store, isOnServer, position, isUp }: SourcesOptions): StoreSources {
  return {
    position,
    isUp,
    figures: () => store().figures(),
    async head() {
      const { log } = store()
      const read = position()
      const head = await log.head()
      const [first] = head > read ? (await log.read(read, 1)).events : []
      return { position: head, unreadSince: first === undefined ? null : new Date(first.recordedAt) }
    },
    async clockOffsetMs() {
      if (!isOnServer) return null
      const before = Date.now()
      const told = await store().now()
      // It was read half-way.
      return told.getTime() - (before + Date.now()) / 2
    },
  }
}

/** Returns what counts transactions, and tells the watch of the failed ones. */
export function observeCommits(metrics: StoreMetrics, watch: Pick<StoreWatch, 'failed'>): CommitObserver {
  return {
    committed: metrics.committed,
    failed(failure) {
      metrics.commitFailed(failure.reason)
      watch.failed(failure)
    },
  }
}
