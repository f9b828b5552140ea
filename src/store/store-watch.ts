import { type Logger, rewriting } from '../observability/logger.ts'
import type { Database } from './port.ts'
import { isOutage, StoreFailure } from './store-errors.ts'

/** Detects that the database has failed, and that it is back. */
export type StoreWatch = {
  /**
   * The logger of everything that uses the database. The first line about a failure of the database is replaced by one that names the
   * reason, and further ones are written at the level `debug`; there is one more line once the database is back.
   */
  readonly logger: Logger
  /** Notes a failure that is in no line. */
  failed(failure: StoreFailure): void
  /** Rejects with `StoreFailure` while the database has failed, or if it does not answer. */
  check(): Promise<void>
  /** Rejects with `StoreFailure` while the database has failed, or if it has too little room for what a command records. */
  assertWritable(): Promise<void>
  /** False from a failure until a write succeeds. */
  isUp(): boolean
  close(): void
}

/** Milliseconds between two attempts to write to a database that has failed. */
const PROBE_MS = 1_000

/** Creates the watch. `store` is called once there is a failure. */
export function watchStore(inner: Logger, store: () => Pick<Database, 'ping' | 'probe' | 'assertRoom'>): StoreWatch {
  let failing: { readonly failure: StoreFailure; readonly since: number; lines: number } | null = null
  let timer: NodeJS.Timeout | undefined

  const probe = async () => {
    try {
      await store().probe()
      if (failing !== null) tellBack(failing)
      failing = null
    } catch {
      if (failing !== null) timer = setTimeout(() => void probe(), PROBE_MS).unref()
    }
  }
  const tellBack = ({ failure: { reason }, since, lines }: NonNullable<typeof failing>) =>
    inner.info(
      { reason, durationMs: Math.round(performance.now() - since), count: lines },
      'the database is available again',
    )
  const failed = (error: unknown) => {
    const failure = outageIn(error)
    if (failure === null) return
    if (failing !== null) {
      failing.lines += 1
      return
    }
    failing = { failure, since: performance.now(), lines: 0 }
    inner.error({ reason: failure.reason, code: failure.code, err: failure }, messageOf(failure))
    timer = setTimeout(() => void probe(), PROBE_MS).unref()
  }
  const passOn = (error: unknown): never => {
    failed(error)
    throw error
  }
  const assertUp = () => {
    if (failing !== null) throw failing.failure
  }
  return {
    logger: rewriting(inner, (level, fields) => {
      if (outageIn(fields.err) === null || level === 'fatal') return [level, fields]
      failed(fields.err)
      return ['debug', fields]
    }),
    failed,
    async check() {
      assertUp()
      await store().ping().catch(passOn)
    },
    async assertWritable() {
      assertUp()
      await store().assertRoom().catch(passOn)
    },
    isUp: () => failing === null,
    close() {
      clearTimeout(timer)
      failing = null
    },
  }
}

/** Returns the failure of the database itself; null for others, and for one that passes by itself: a lock, or too many writers. */
function outageIn(error: unknown): StoreFailure | null {
  return error instanceof StoreFailure && isOutage(error) && error.reason !== 'BUSY' ? error : null
}

function messageOf({ reason }: StoreFailure): string {
  if (reason === 'FULL') return 'the disk of the database is full: no command is sent until there is room'
  return 'the database is unavailable: webhooks and commands are refused until it is back'
}
