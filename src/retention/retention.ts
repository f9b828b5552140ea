import { createHash, randomUUID } from 'node:crypto'
import { constants, createReadStream, createWriteStream } from 'node:fs'
import { access, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable, Transform, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import type { Config } from '../config.ts'
import { type PeriodicTask, restAsLong, runEach, startPeriodicTask, type Timer } from '../lib/timers.ts'
import type { Logger } from '../observability/logger.ts'
import type { ErasureStore } from '../store/port.ts'
import type { PrunedKind } from '../store/retention/kinds.ts'
import type { Archive, ArchivedRow, PruneUnit, RetentionStore } from '../store/retention/retention-queries.ts'

export type RetentionOptions = {
  readonly store: RetentionStore
  readonly settings: Omit<Config['retention'], 'archive'>
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

const RETENTION_EVERY_MS = 3_600_000
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

  const purge = async (mayGoOn: () => boolean) => {
    const before = daysAgo(clock(), settings.deliveryKeysDays)
    for (let startedAt = timer.now(); mayGoOn() && (await store.purgeKeys(before)) > 0; startedAt = timer.now())
      await restAsLong(timer, startedAt)
  }

  const work = (mayGoOn: () => boolean) => {
    const prune = async (kind: PrunedKind, days: number | null) => {
      if (days !== null) await pruneKind(options, { kind, before: daysAgo(clock(), days), mayGoOn })
    }
    const tasks = [
      () => store.prepare(clock()),
      () => prune('deliveries', settings.deliveriesDays),
      () => prune('payout_events', settings.eventsDays),
      () => prune('gateway_payment_events', settings.eventsDays),
      () => prune('events', settings.eventsDays),
      () => purge(mayGoOn),
    ]
    return runEach(tasks, (error) =>
      logger.error({ err: error }, 'old rows could not be archived or pruned; retrying in an hour'),
    )
  }
  return startPeriodicTask({ everyMs: RETENTION_EVERY_MS, timer, mayRun: isLeader, work })
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
      logger.info({ kind, count: archive.count }, 'old rows were archived')
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

/** A written file and its content. */
export type ArchiveFile = ArchiveContent & { readonly file: string; readonly sha256: string }

/** The places of the first and the last row, and the number of rows. */
type ArchiveContent = { readonly first: number; readonly last: number; readonly count: number }

/** A folder of archives: compressed files of JSON, one row per line. */
export type ArchiveFolder = {
  /** Creates the folder if it is missing. Throws an `Error` that names the setting if it cannot be written. */
  prepare(): Promise<void>
  /**
   * Writes rows to a file, and resolves when it is on disk and has been read back. Null without rows: nothing is written. Throws if what was
   * read differs, or if the disk fails; then no file of this name exists.
   */
  write(kind: PrunedKind, rows: AsyncIterable<ArchivedRow>): Promise<ArchiveFile | null>
}

const PARTIAL = '.partial'
/** Digits of a place in the name of a file, so that names are sorted by place. */
const DIGITS = 12

export function createArchiveFolder(folder: string): ArchiveFolder {
  return {
    async prepare() {
      try {
        await mkdir(folder, { recursive: true })
        await access(folder, constants.R_OK | constants.W_OK | constants.X_OK)
        await removeLeftovers(folder)
      } catch (error) {
        throw new Error('The folder that ARCHIVE_URL names cannot be written.', { cause: error })
      }
    },
    async write(kind, rows) {
      const partial = join(folder, `${kind}-${randomUUID()}${PARTIAL}`)
      try {
        const written = await writeLines(partial, rows)
        if (written === null) return null
        const { content, sha256 } = written
        const found = await readBack(partial)
        if (found.sha256 !== sha256 || found.lines !== content.count)
          throw new Error('An archive could not be read back as it was written.')
        const file = `${kind}-${placeOf(content.first)}-${placeOf(content.last)}.ndjson.gz`
        await rename(partial, join(folder, file))
        await syncPath(folder)
        return { ...content, file, sha256 }
      } finally {
        await rm(partial, { force: true })
      }
    },
  }
}

async function writeLines(
  path: string,
  rows: AsyncIterable<ArchivedRow>,
): Promise<{ readonly content: ArchiveContent; readonly sha256: string } | null> {
  const content = { first: 0, last: 0, count: 0 }
  async function* lines() {
    for await (const { place, row } of rows) {
      if (content.count === 0) content.first = place
      content.last = place
      content.count += 1
      yield `${JSON.stringify(row)}\n`
    }
  }
  const { through, digest } = hashing()
  await pipeline(Readable.from(lines()), through, createGzip(), createWriteStream(path, { flags: 'wx', mode: 0o600 }))
  await syncPath(path)
  return content.count === 0 ? null : { content, sha256: digest() }
}

async function readBack(path: string): Promise<{ readonly sha256: string; readonly lines: number }> {
  let lines = 0
  const { through, digest } = hashing()
  const counter = new Writable({
    write(chunk: Buffer, _encoding, done) {
      for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, at + 1)) lines += 1
      done()
    },
  })
  await pipeline(createReadStream(path), createGunzip(), through, counter)
  return { sha256: digest(), lines }
}

const LINE_FEED = 0x0a

/** A stream that passes on what it is given, and the hash of that. */
function hashing(): { readonly through: Transform; digest(): string } {
  const hash = createHash('sha256')
  const through = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk)
      done(null, chunk)
    },
  })
  return { through, digest: () => hash.digest('hex') }
}

async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Removes the incomplete files of processes that were killed. A younger one may be of a process that is running. */
async function removeLeftovers(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    if (name.endsWith(PARTIAL) && Date.now() - (await stat(path)).mtimeMs > DAY_MS) await rm(path, { force: true })
  }
}

function placeOf(place: number): string {
  return String(place).padStart(DIGITS, '0')
}

export type ErasuresOptions = {
  readonly store: ErasureStore
  readonly logger: Logger
  readonly clock: () => Date
  readonly timer: Timer
  /** Whether this process is the leader of its cluster. */
  readonly isLeader: () => boolean
}

const ERASURES_EVERY_MS = 10_000

/**
 * Continues erasures of payers that other processes have begun, or that were running when a process ended; by the timer every ten seconds, if this
 * process is the leader. What failed is tried again.
 */
export function startErasures({ store, logger, clock, timer, isLeader }: ErasuresOptions): PeriodicTask {
  const finish = async (number: number, mayGoOn: () => boolean) => {
    while (mayGoOn()) {
      const startedAt = timer.now()
      const erasure = await store.step(number, clock())
      if (erasure === null) return
      if (erasure.doneAt !== null) {
        logger.info({ kind: erasure.kind, count: erasure.payers }, 'payers were erased')
        return
      }
      await restAsLong(timer, startedAt)
    }
  }

  const onFailed = (error: unknown) => logger.error({ err: error }, 'payers could not be erased; retrying')

  const work = (mayGoOn: () => boolean) => {
    const finishAll = async () => {
      const running = await store.running()
      await runEach(
        running.map((number) => () => finish(number, mayGoOn)),
        onFailed,
      )
    }
    return runEach([finishAll], onFailed)
  }
  return startPeriodicTask({ everyMs: ERASURES_EVERY_MS, timer, mayRun: isLeader, work })
}

/** Returns the configured folder of archives; null if there is none. Throws an `Error` if it cannot be written. */
export async function openArchive({ archive }: Config['retention']): Promise<ArchiveFolder | null> {
  if (archive?.kind !== 'folder') return null
  const folder = createArchiveFolder(archive.path)
  await folder.prepare()
  return folder
}
