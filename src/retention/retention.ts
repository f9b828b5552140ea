import type { RetentionConfig } from '../config/retention-settings.ts'
import { type PeriodicTask, restAsLong, startPeriodicTask, type Timer } from '../lib/timers.ts'
import type { Logger } from '../observability/logger.ts'
import type { Archive, ArchivedRow, PrunedKind, PruneUnit, RetentionStore } from '../store/retention/retention-store.ts'
import type { ArchiveContent, ArchiveFolder } from './archive-folder.ts'

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

/**
 * Every hour, creates the partitions of the next months and prunes whole months that are older than the settings allow: first the month is
 * written to files, which are synced and read back; then its rows are removed. A process that is killed in between leaves a month that is archived
 * in part, and the next one continues with it. Only the leader does this; what failed is tried again in the next hour.
 */
export function startRetention(options: RetentionOptions): PeriodicTask {
  const { store, settings, logger, clock, timer, isLeader } = options

  const work = async (mayGoOn: () => boolean) => {
    try {
      await store.prepare(clock())
      for (const [kind, days] of [
        ['deliveries', settings.deliveriesDays],
        ['payout_events', settings.eventsDays],
        ['gateway_payment_events', settings.eventsDays],
        ['events', settings.eventsDays],
      ] as const)
        if (days !== null) await pruneKind(options, { kind, before: daysAgo(clock(), days), mayGoOn })
      const before = daysAgo(clock(), settings.deliveryKeysDays)
      for (let startedAt = timer.now(); mayGoOn() && (await store.purgeKeys(before)) > 0; startedAt = timer.now())
        await restAsLong(timer, startedAt)
    } catch (error) {
      logger.error({ err: error }, 'old rows could not be archived or pruned; it is tried again in an hour')
    }
  }
  return startPeriodicTask({ everyMs: EVERY_MS, timer, mayRun: isLeader, work })
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
    await restAsLong(timer, startedAt)
  }
}

function daysAgo(now: Date, days: number): Date {
  return new Date(now.getTime() - days * DAY_MS)
}
