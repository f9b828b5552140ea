import type { RetentionConfig } from '../config/retention.ts'
import type { Timer } from '../lib/timer.ts'
import type { Logger } from '../observability/logger.ts'
import type { Archive, ArchivedRow, PrunedKind, PruneUnit, RetentionStore } from '../store/retention/retention-store.ts'
import type { ArchiveContent, ArchiveFolder } from './archive-folder.ts'

/** Archives and prunes old events and deliveries. */
export type Retention = {
  /**
   * Archives and prunes what is due, as the timer does every hour; does nothing if this process is not the leader. Never rejects: what failed is
   * tried again in the next hour.
   */
  run(): Promise<void>
  /** Stops after the current step; resolves when it has ended. */
  close(): Promise<void>
}

export type RetentionOptions = {
  readonly store: RetentionStore
  readonly settings: Omit<RetentionConfig, 'archive'>
  /** Null if pruned rows are discarded. */
  readonly folder: ArchiveFolder | null
  readonly logger: Logger
  readonly clock: () => Date
  readonly timer: Timer
  /** Whether this process is the leader of its cluster. */
  readonly isLeader: () => boolean
  /** Called with the number of rows that were archived. */
  readonly onArchived: (kind: PrunedKind, count: number) => void
  /** Rows per file. Default: a million. */
  readonly rowsPerFile?: number
}

const EVERY_MS = 3_600_000
const DAY_MS = 24 * 3_600_000
const ROWS_PER_FILE = 1_000_000
/** Rows per query. */
const PAGE = 500
/** Milliseconds between two transactions, at least: as long as the last one took, so that other writes have half of the time. */
const LEAST_REST_MS = 5

/**
 * Every hour, creates the partitions of the next months and prunes whole months that are older than the settings allow: first the month is
 * written to files, which are synced and read back; then its rows are removed. A process that is killed in between leaves a month that is archived
 * in part, and the next one continues with it.
 */
export function startRetention(options: RetentionOptions): Retention {
  const { store, settings, logger, clock, timer, isLeader } = options
  let running: Promise<void> | null = null
  let closed = false
  const mayGoOn = () => !closed && isLeader()

  const runOnce = async () => {
    try {
      await store.prepare(clock())
      for (const [kind, days] of [
        ['deliveries', settings.deliveriesDays],
        ['events', settings.eventsDays],
      ] as const)
        if (days !== null) await pruneKind(options, { kind, before: daysAgo(clock(), days), mayGoOn })
      const before = daysAgo(clock(), settings.deliveryKeysDays)
      while (mayGoOn() && (await store.purgeKeys(before)) > 0) await rest(timer, LEAST_REST_MS)
    } catch (error) {
      logger.error({ err: error }, 'old rows could not be archived or pruned; it is tried again in an hour')
    } finally {
      running = null
    }
  }

  const run = async () => {
    if (mayGoOn()) await (running ??= runOnce())
  }
  const runLater = (): (() => void) =>
    timer.after(EVERY_MS, () => {
      cancel = runLater()
      void run()
    })
  let cancel = runLater()
  return {
    run,
    async close() {
      closed = true
      cancel()
      await running
    },
  }
}

type Task = { readonly kind: PrunedKind; readonly before: Date; readonly mayGoOn: () => boolean }

async function pruneKind(options: RetentionOptions, { kind, before, mayGoOn }: Task): Promise<void> {
  const { store, logger, onArchived } = options
  while (mayGoOn()) {
    const unit = await store.due(kind, before)
    if (unit === null) return
    while (mayGoOn()) {
      const archive = await archiveSome(options, unit)
      if (archive === null) break
      await store.record(archive)
      onArchived(kind, archive.count)
      logger.info({ kind, count: archive.count }, 'old rows are archived')
    }
    await pruneUnit(options, unit, mayGoOn)
  }
}

async function archiveSome(options: RetentionOptions, unit: PruneUnit): Promise<Archive | null> {
  const { store, folder, clock } = options
  const rows = nextRows(options, unit, await store.archivedTo(unit))
  const written = folder === null ? await countRows(rows) : await folder.write(unit.kind, rows)
  return written === null
    ? null
    : { kind: unit.kind, until: unit.until, file: null, sha256: null, ...written, archivedAt: clock().getTime() }
}

async function* nextRows(
  { store, rowsPerFile = ROWS_PER_FILE }: RetentionOptions,
  unit: PruneUnit,
  after: number,
): AsyncGenerator<ArchivedRow> {
  let last = after
  for (let count = 0; count < rowsPerFile;) {
    const page = await store.page(unit, last, Math.min(rowsPerFile - count, PAGE))
    const end = page.at(-1)
    if (end === undefined) return
    yield* page
    last = end.place
    count += page.length
  }
}

async function countRows(rows: AsyncIterable<ArchivedRow>): Promise<ArchiveContent | null> {
  const content = { first: 0, last: 0, count: 0 }
  for await (const { place } of rows) {
    if (content.count === 0) content.first = place
    content.last = place
    content.count += 1
  }
  return content.count === 0 ? null : content
}

async function pruneUnit({ store, timer }: RetentionOptions, unit: PruneUnit, mayGoOn: () => boolean): Promise<void> {
  let after: number | null = 0
  while (after !== null && mayGoOn()) {
    const startedAt = timer.now()
    after = await store.pruneSome(unit, after)
    await rest(timer, Math.max(timer.now() - startedAt, LEAST_REST_MS))
  }
}

function rest(timer: Timer, milliseconds: number): Promise<void> {
  return new Promise((resolve) => void timer.after(milliseconds, resolve))
}

function daysAgo(now: Date, days: number): Date {
  return new Date(now.getTime() - days * DAY_MS)
}
