import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A folder for a database, on a disk whose power can be cut and whose syncs can fail: see `syncshadow.c`. */
export type PowerDisk = {
  /** Path of the database while the process runs. */
  readonly path: string
  /** Path of the same database as the disk would contain it after a power cut. */
  readonly shadowPath: string
  /** Environment variables for a process that runs on this disk. */
  readonly env: Readonly<Record<string, string>>
  /** Returns how often the write-ahead log, or the database itself, was synced so far. */
  syncs(file?: 'wal' | 'db'): number
  /** While this is on, no sync of the write-ahead log begins. */
  hold(on: boolean): void
  /** Returns whether a sync is held. */
  isHeld(): boolean
  /** Makes the next sync of the write-ahead log, or of the database itself, fail with EIO. */
  failNext(file: 'wal' | 'db'): void
  /** Kills the process in the middle of its next checkpoint: the pages are written, and not yet synced. */
  killInCheckpoint(): void
  /** Returns whether the requested failure has occurred. */
  hasFailed(file: 'wal' | 'db'): boolean
  remove(): void
}

const SOURCE = fileURLToPath(new URL('./syncshadow.c', import.meta.url))

export function createPowerDisk(): PowerDisk {
  const folder = mkdtempSync(join(tmpdir(), 'payments-power-'))
  const [data, shadow, control] = ['data', 'shadow', 'control'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  for (const made of [data, shadow, control]) mkdirSync(made)
  const library = join(folder, 'syncshadow.so')
  execFileSync('gcc', ['-Wall', '-Wextra', '-Werror', '-shared', '-fPIC', '-pthread', '-o', library, SOURCE, '-ldl'])
  const set = (name: string, on: boolean): void => {
    if (on) writeFileSync(join(control, name), '')
    else rmSync(join(control, name))
  }
  const failure = (file: string) => join(control, `fail-${file}`)
  return {
    path: join(data, 'payments.db'),
    shadowPath: join(shadow, 'payments.db'),
    env: { LD_PRELOAD: library, SYNC_WATCH: data, SYNC_SHADOW: shadow, SYNC_CONTROL: control },
    syncs: (file = 'wal') =>
      readFileSync(join(control, 'log'), 'utf8')
        .split('\n')
        .filter((name) => name.endsWith(file)).length,
    hold: (on) => set('hold-wal', on),
    isHeld: () => existsSync(join(control, 'held-wal')),
    killInCheckpoint: () => writeFileSync(join(control, 'kill-db'), ''),
    failNext: (file) => writeFileSync(failure(file), ''),
    hasFailed: (file) => !existsSync(failure(file)),
    remove: () => rmSync(folder, { recursive: true }),
  }
}
