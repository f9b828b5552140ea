import { createHash, randomUUID } from 'node:crypto'
import { constants, createReadStream, createWriteStream } from 'node:fs'
import { access, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable, Transform, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import type { ArchivedRow, PrunedKind } from '../store/retention/retention-store.ts'

/** A written file and its content. */
export type ArchiveFile = ArchiveContent & { readonly file: string; readonly sha256: string }

/** The places of the first and the last row, and the number of rows. */
export type ArchiveContent = { readonly first: number; readonly last: number; readonly count: number }

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
const DAY_MS = 24 * 3_600_000
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
