import { DatabaseError } from 'pg'
import { type FailureReason, StoreFailure, StoreUnusableError } from '../store-errors.ts'

/** By SQLSTATE, or by the class that its first two characters name (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
const REASONS: Readonly<Record<string, FailureReason>> = {
  '08': 'DOWN',
  '25006': 'READ_ONLY',
  '25P03': 'DOWN',
  '40': 'BUSY',
  '53': 'BUSY',
  '53100': 'FULL',
  '55P03': 'BUSY',
  '57': 'DOWN',
  '57014': 'BUSY',
  '58': 'IO',
  XX001: 'CORRUPT',
  XX002: 'CORRUPT',
}

/** A statement was prepared before another node changed its table. */
const CHANGED_TABLE = '0A000'

/** A prepared statement does not exist, or its name is already in use: a pooler has changed the session. */
const LOST_STATEMENT: ReadonlySet<unknown> = new Set(['26000', '42P05'])

/** These, serialization failure and deadlock: the server has changed nothing, and a retry may succeed. */
const TRANSIENT: ReadonlySet<unknown> = new Set(['40001', '40P01', CHANGED_TABLE, ...LOST_STATEMENT])

/** Causes that the operator can remove. */
const ADVICE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'its server does not answer: start it, or correct host and port',
  ENOTFOUND: 'the name of its server is not known: correct it, or the DNS',
  '08P01': 'the pooler in front of its server refuses, and says why in its log',
  '28P01': 'its server refuses the user or the password',
  '28000': 'its server refuses the user or the password',
  '3D000': 'its server has no such database',
  '42501': 'the user must be allowed to make tables, and to use those that are there',
  '53300': 'its server takes no more connections',
  '55P03': 'a table that a migration changes is locked by another transaction: end that one, and start again',
}

/** What the driver says without a code when it cannot connect. */
const OF_DRIVER: Readonly<Record<string, string>> = {
  'The server does not support SSL connections': 'its server has no TLS: correct sslmode',
  'There was an error establishing an SSL connection':
    'what listens there is no PostgreSQL server: check host and port',
  'Connection terminated unexpectedly': 'what listens there is no PostgreSQL server: check host and port',
  'timeout expired': 'what listens there is no PostgreSQL server, or does not answer: check host, port and firewall',
}

/** An error of PostgreSQL or of the connection: its code, without the values that PostgreSQL's own messages quote. */
class PostgresError extends Error {
  override readonly name = 'PostgresError'
  /** SQLSTATE, or the system's error code if the server did not answer; null if there is none. */
  readonly code: string | null
  /** Whether the connection can still be used. */
  readonly usable: boolean
  /** What the operator can do; undefined if it is not known. */
  readonly advice: string | undefined

  constructor(error: unknown) {
    const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
    const reply = error instanceof DatabaseError ? error : null
    super(reply === null ? (code ?? 'no answer') : `SQLSTATE ${code} ${reply.constraint ?? ''}`.trim())
    this.code = code
    this.advice = code === null ? OF_DRIVER[error instanceof Error ? error.message : ''] : ADVICE[code]
    this.usable = reply !== null && reply.severity !== 'FATAL' && reply.severity !== 'PANIC'
  }
}

/** Converts an error of the driver to a `StoreFailure`: DOWN without an answer of the server, because its outcome is unknown. */
export function toStoreFailure(error: unknown): StoreFailure {
  const cause = new PostgresError(error)
  const code = error instanceof DatabaseError ? (cause.code ?? '') : '08'
  return new StoreFailure(REASONS[code] ?? REASONS[code.slice(0, 2)] ?? 'OTHER', cause)
}

/** Returns whether a connection cannot be used after a failure. */
export function endsConnection({ cause }: StoreFailure): boolean {
  return !(cause instanceof PostgresError && cause.usable)
}

/** Returns whether a statement has to be prepared again. */
export function isStaleStatement({ cause }: StoreFailure): boolean {
  return cause instanceof PostgresError && cause.code === CHANGED_TABLE
}

/** Returns whether the session's prepared statements differ from those that this process created. */
export function isLostStatement({ cause }: StoreFailure): boolean {
  return cause instanceof PostgresError && LOST_STATEMENT.has(cause.code)
}

/** Returns whether the database user may not do this. */
export function isDenied(error: unknown): boolean {
  return error instanceof StoreFailure && error.cause instanceof PostgresError && error.cause.code === '42501'
}

/** Returns whether certainly nothing was recorded, and a retry of the same job is likely to succeed. */
export function isTransient(error: unknown): boolean {
  return error instanceof StoreFailure && error.cause instanceof PostgresError && TRANSIENT.has(error.cause.code)
}

/** Converts a `StoreFailure` at start to a `StoreUnusableError` that names the cause and the setting; returns other errors unchanged. */
export function unusable(error: unknown): unknown {
  if (!(error instanceof StoreFailure)) return error
  const { code = null, advice } = error.cause instanceof PostgresError ? error.cause : {}
  const why = advice ?? (error.reason === 'DOWN' ? 'its server does not answer' : error.reason)
  return new StoreUnusableError(
    `The database that DATABASE_URL names cannot be used: ${why}${code === null ? '' : ` (${code})`}.`,
    { cause: error.cause },
  )
}
