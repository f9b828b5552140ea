import { Gauge, type Registry } from 'prom-client'
import { createCount, createHistogram } from './series.ts'

/** What a database knows of itself. Null where it has none. */
export type StoreFigures = {
  readonly sizeBytes: number
  /** Size of the write-ahead log. */
  readonly writeAheadBytes: number | null
  readonly diskFreeBytes: number | null
  readonly connections: {
    readonly used: number
    readonly idle: number
    readonly waiting: number
    readonly limit: number
  } | null
}

export type StoreSources = {
  readonly figures: () => Promise<StoreFigures>
  /** Whether the database is available: false from a failure until a write succeeds. */
  readonly isUp: () => boolean
  /** Position up to which this process has read the log. */
  readonly position: () => number
  /** Position of the log's last event, and since when the first event that this process has not read has been there. */
  readonly head: () => Promise<{ readonly position: number; readonly unreadSince: Date | null }>
  /** Milliseconds by which the database's clock is ahead; null if it has no other clock than this process. */
  readonly clockOffsetMs: () => Promise<number | null>
}

export type StoreMetrics = {
  /** Times a transaction that wrote, and counts its decisions. */
  committed(milliseconds: number, decisions: number): void
  /** Counts a transaction that failed because of the database. */
  commitFailed(reason: string): void
}

/** Metrics of the database and of the log at this process. A query that fails leaves out its gauges alone. */
export function createStoreMetrics(registry: Registry, sources: StoreSources, clock: () => Date): StoreMetrics {
  const registers = [registry]
  const figures = shared(sources.figures)
  const head = shared(sources.head)
  const addGauge = <Figures>(
    [name, help]: readonly [string, string],
    read: () => Promise<Figures> | Figures,
    figure: (figures: Figures) => number | null,
  ) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        this.reset()
        const value = await Promise.resolve(read()).then(figure, () => null)
        if (value === null) this.remove()
        else this.set(value)
      },
    })
  addGauge(
    ['payments_store_up', '1 while the database is available; 0 from a failure until a write succeeds.'],
    sources.isUp,
    Number,
  )
  addGauge(['payments_store_size_bytes', 'Size of the database.'], figures, ({ sizeBytes }) => sizeBytes)
  addGauge(
    ['payments_store_write_ahead_log_bytes', 'Size of the write-ahead log of a SQLite file.'],
    figures,
    ({ writeAheadBytes }) => writeAheadBytes,
  )
  addGauge(
    ['payments_store_disk_free_bytes', 'Free space of the file system with a SQLite file.'],
    figures,
    ({ diskFreeBytes }) => diskFreeBytes,
  )
  registry.registerMetric(
    new Gauge({
      name: 'payments_store_connections',
      help: 'Connections of this process that read from a PostgreSQL server: used and idle ones, reads that wait for one, and the limit.',
      labelNames: ['state'],
      registers,
      async collect() {
        this.reset()
        const { connections } = await figures().catch(() => ({ connections: null }))
        for (const [state, count] of Object.entries(connections ?? {})) this.set({ state }, count)
      },
    }),
  )
  addGauge(
    ['payments_log_position', 'Position up to which this process has read the log.'],
    sources.position,
    (position) => position,
  )
  addGauge(['payments_log_head_position', "Position of the log's last event."], head, ({ position }) => position)
  addGauge(
    [
      'payments_log_lag_seconds',
      'Age of the first event of the log that this process has not read; 0 when there is none.',
    ],
    head,
    ({ unreadSince }) => (unreadSince === null ? 0 : Math.max(0, (clock().getTime() - unreadSince.getTime()) / 1_000)),
  )
  addGauge(
    ['payments_database_clock_offset_seconds', 'By how much the clock of a PostgreSQL server is ahead.'],
    sources.clockOffsetMs,
    (milliseconds) => milliseconds && milliseconds / 1_000,
  )
  const commitSeconds = createHistogram(registry, {
    name: 'payments_store_commit_duration_seconds',
    help: 'Duration of transactions that write.',
    labelNames: [],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  })
  const commitDecisions = createHistogram(registry, {
    name: 'payments_store_commit_decisions',
    help: 'Webhooks, commands and reads recorded in one transaction.',
    labelNames: [],
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
  })
  const failures = createCount(registry, {
    name: 'payments_store_failures_total',
    help: 'Transactions that the database failed, by reason: DOWN, FULL, BUSY, SYNC, READ_ONLY, IO, CORRUPT or OTHER.',
    labelNames: ['reason'],
  })
  return {
    committed(milliseconds, decisions) {
      commitSeconds(milliseconds / 1_000)
      commitDecisions(decisions)
    },
    commitFailed: failures,
  }
}

/** Returns the function, with one call under way at a time for all who ask meanwhile. */
function shared<Result>(look: () => Promise<Result>): () => Promise<Result> {
  let looking: Promise<Result> | null = null
  return () => (looking ??= look().finally(() => (looking = null)))
}
