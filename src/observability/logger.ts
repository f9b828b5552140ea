import { createRequire } from 'node:module'
import type { Span } from '@opentelemetry/api'
import { pino, type DestinationStream, type Logger as PinoLogger } from 'pino'

/** Log levels, from the most output to none. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

/** One of the levels that `LOG_LEVEL` may name. */
export type LogLevel = (typeof LOG_LEVELS)[number]

type Line = (fields: LogFields, message: string) => void

/**
 * Writes log lines. Only ids and codes are written: fields are filtered by name, values by their format, and error messages are
 * omitted unless the class declares them safe. `message` is a constant text of ours and must not contain data.
 */
export type Logger = {
  readonly debug: Line
  readonly info: Line
  readonly warn: Line
  readonly error: Line
  readonly fatal: Line
  /** Returns a logger that adds these fields to every line. */
  child(fields: LogFields): Logger
  /** Writes the lines buffered in this turn of the event loop; call it before the process ends. `fatal` does so by itself. */
  flush(): void
}

export type LoggerOptions = {
  readonly level: LogLevel
  /** Destination of the lines, one JSON object each. Default: standard output. */
  readonly destination?: DestinationStream
  /** Whether lines are for people where pino-pretty is installed, as under development. Default: JSON. */
  readonly isReadable?: boolean
  /** Fields of every line in JSON: the version and the instance of the process. Default: none. */
  readonly base?: { readonly version: string; readonly instance: string }
}

/** Longer than any message of ours; a longer text contains data. */
const MAX_MESSAGE = 300

/** Creates the logger. Times are ISO 8601 in UTC. */
export function createLogger({ level, destination, isReadable = false, base }: LoggerOptions): Logger {
  const readable = destination ?? (isReadable ? openPretty() : null)
  const options = {
    level,
    base: readable === null && base !== undefined ? base : null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  }
  if (readable !== null) return narrow(pino(options, readable), () => {})
  const batch = batchLines(pino.destination({ sync: true }))
  return narrow(pino(options, batch), batch.flushSync)
}

/** Returns null where the package is not installed. */
function openPretty(): DestinationStream | null {
  try {
    const pretty = createRequire(import.meta.url)('pino-pretty') as (options: object) => DestinationStream
    return pretty({ sync: true })
  } catch {
    return null
  }
}

function narrow(inner: PinoLogger, flush: () => void): Logger {
  const line =
    (level: LineLevel): Line =>
    (fields, message) => {
      if (!inner.isLevelEnabled(level)) return
      inner[level](allowedFields(fields), message.slice(0, MAX_MESSAGE))
      // The process may end after an error.
      if (level === 'error') flush()
    }
  return {
    debug: line('debug'),
    info: line('info'),
    warn: line('warn'),
    error: line('error'),
    fatal: line('fatal'),
    child: (fields) => narrow(inner.child(allowedFields(fields)), flush),
    flush,
  }
}

type LineLevel = 'debug' | 'info' | 'warn' | 'error' | 'fatal'

/** Returns a logger that writes each line at the level and with the fields that `rewrite` returns for it. */
export function rewriting(
  inner: Logger,
  rewrite: (level: LineLevel, fields: LogFields) => readonly [LineLevel, LogFields],
): Logger {
  const line =
    (given: LineLevel): Line =>
    (fields, message) => {
      const [level, rewritten] = rewrite(given, fields)
      inner[level](rewritten, message)
    }
  return {
    debug: line('debug'),
    info: line('info'),
    warn: line('warn'),
    error: line('error'),
    fatal: line('fatal'),
    child: (fields) => rewriting(inner.child(fields), rewrite),
    flush: inner.flush,
  }
}

/** Returns a logger whose lines name the current span. */
export function withTraceIds(inner: Logger, tracing: { readonly current: Span | undefined }): Logger {
  return rewriting(inner, (level, fields) => {
    const { current } = tracing
    if (current === undefined) return [level, fields]
    const { traceId, spanId } = current.spanContext()
    return [level, { ...fields, traceId, spanId }]
  })
}

/** The logged part of an error: class, code and stack locations; the message only if its class declares it safe. */
type SafeError = {
  readonly name: string
  readonly code?: string | number
  readonly message?: string
  readonly stack?: readonly string[]
  readonly cause?: SafeError
}

const ERROR_CODE = /^[\w.:-]{1,64}$/
/** A valid class name. Any code may set the property, so an arbitrary text is no safer than a message. */
const NAME = /^[A-Z][A-Za-z0-9]{0,63}$/
const FRAME =
  /^ {4}at (?:(?:async |new )?[\w$.<>#[\] ]{1,120} \()?(?:file:\/\/\/|node:|\/|[A-Za-z]:\\)[^\s()]{1,300}:\d+:\d+\)?$/
const MAX_FRAMES = 12
const MAX_CAUSES = 3

/**
 * Reduces a thrown value to what may be logged: the name, the code, the stack locations, and the same of its cause. The message
 * is omitted, since messages of libraries quote their input; a class whose messages contain no data declares so with a property
 * `safeMessage` that is true.
 */
function safeError(thrown: unknown): SafeError {
  return reduced(thrown, MAX_CAUSES)
}

function reduced(thrown: unknown, causesLeft: number): SafeError {
  if (!(thrown instanceof Error)) return { name: `thrown ${thrown === null ? 'null' : typeof thrown}` }
  const stack = framesOf(thrown)
  return {
    name: NAME.test(thrown.name) ? thrown.name : 'Error',
    ...codeOf(thrown),
    ...('safeMessage' in thrown && thrown.safeMessage === true ? { message: thrown.message } : {}),
    ...(stack.length === 0 ? {} : { stack }),
    ...(thrown.cause instanceof Error && causesLeft > 0 ? { cause: reduced(thrown.cause, causesLeft - 1) } : {}),
  }
}

function codeOf(error: Error): { code?: string | number } {
  const code: unknown = 'code' in error ? error.code : undefined
  if (typeof code === 'number') return { code }
  return typeof code === 'string' && ERROR_CODE.test(code) ? { code } : {}
}

/**
 * Returns the stack locations only. The text before the first of them repeats the message, which may itself look like a location.
 */
function framesOf(error: Error): string[] {
  const stack = typeof error.stack === 'string' ? error.stack : ''
  const message = error.message === '' ? -1 : stack.indexOf(error.message)
  const frames = message === -1 ? stack : stack.slice(message + error.message.length)
  return frames
    .split('\n')
    .filter((line) => FRAME.test(line))
    .slice(0, MAX_FRAMES)
    .map((line) => line.trim())
}

/**
 * Every field that a log line may have besides `level`, `time`, `msg`, `path`, `url`, `adminUrl`, `origin` and `err`: ids, codes and
 * numbers.
 */
const CODE_FIELDS = [
  'agreementId',
  'payoutId',
  'gatewayPaymentId',
  'attempt',
  'attempts',
  'closeCode',
  'code',
  'commandId',
  'connectionId',
  'count',
  'currency',
  'database',
  'databaseVersion',
  'deliveryId',
  'disposition',
  'durationMs',
  'environment',
  'errorId',
  'eventId',
  'keyId',
  'kind',
  'linkId',
  'method',
  'mutation',
  'needed',
  'operation',
  'paymentId',
  'phase',
  'port',
  'position',
  'reason',
  'ref',
  'requestId',
  'retryInMs',
  'setting',
  'settings',
  'signal',
  'site',
  'sites',
  'spanId',
  'status',
  'subscription',
  'traceId',
  'upstreamRequestId',
  'version',
  'versions',
] as const

type Code = string | number | boolean | null | undefined

/**
 * The fields of a log line. `path` is a URL path without its query; `url` and `adminUrl` are our own URLs, logged at start;
 * `origin` is that of a browser's page; `err` is any thrown value.
 */
export type LogFields = {
  readonly [Name in (typeof CODE_FIELDS)[number]]?: Code | readonly Code[]
} & {
  readonly path?: string
  readonly url?: string
  readonly adminUrl?: string
  readonly origin?: string
  readonly err?: unknown
}

type Filter = (value: unknown) => unknown

/** The format of an id or a code: no spaces and no @, so that no name, e-mail address or sentence matches. */
const CODE = /^[\w.:+-]{1,128}$/
const PATH = /^\/[\w./:-]{0,255}$/
const MAX_ITEMS = 50
/** Characters of a host name (RFC 1035, section 2.3.4) and a port. */
const MAX_HOST = 261
/** Replaces a value that does not look like an id or a code. */
const WITHHELD = '[withheld]'

const FILTERS: ReadonlyMap<string, Filter> = new Map<string, Filter>([
  ...CODE_FIELDS.map((name): [string, Filter] => [name, safeCodes]),
  ['path', safePath],
  ['url', safeUrl],
  ['adminUrl', safeUrl],
  ['origin', safeOrigin],
  ['err', safeError],
])

/** Returns the allowed fields, with their values filtered. All others are dropped. */
function allowedFields(fields: object): Record<string, unknown> {
  if (fields instanceof Error) return { err: safeError(fields) }
  const allowed: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(fields)) {
    const filter = FILTERS.get(name)
    if (filter !== undefined && value !== undefined) allowed[name] = filter(value)
  }
  return allowed
}

function safeCodes(value: unknown): unknown {
  return Array.isArray(value) ? value.slice(0, MAX_ITEMS).map(safeCode) : safeCode(value)
}

function safeCode(value: unknown): unknown {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return value
  return typeof value === 'string' && CODE.test(value) ? value : WITHHELD
}

function safePath(value: unknown): string {
  const path = typeof value === 'string' ? value.replace(/[?#].*$/s, '') : ''
  return PATH.test(path) ? path : WITHHELD
}

function safeOrigin(value: unknown): string {
  const url = typeof value === 'string' ? URL.parse(value) : null
  return url === null || url.host.length > MAX_HOST ? WITHHELD : `${url.protocol}//${url.host}`
}

function safeUrl(value: unknown): string {
  const url = typeof value === 'string' ? URL.parse(value) : null
  return url === null ? WITHHELD : `${url.protocol}//${url.host}${url.pathname}`
}

/** Log lines that are written together. */
export type LineBatch = DestinationStream & {
  /** Writes the buffered lines synchronously. */
  flushSync(): void
}

/** Maximum number of buffered characters; above it the batch is written at once. */
const MAX_CHARACTERS = 64 * 1024

/**
 * Writes all lines of one turn of the event loop at its end, in one piece, because each write is a system call. Order is kept.
 * pino calls `flushSync` after a line of level `fatal`; code that ends the process in another way has to call it.
 */
export function batchLines(destination: DestinationStream): LineBatch {
  let waiting = ''
  let scheduled = false
  const flushSync = () => {
    if (waiting === '') return
    const lines = waiting
    waiting = ''
    destination.write(lines)
  }
  const flush = () => {
    scheduled = false
    flushSync()
  }
  return {
    write(line) {
      waiting += line
      if (waiting.length > MAX_CHARACTERS) flushSync()
      if (scheduled) return
      scheduled = true
      setImmediate(flush)
    },
    flushSync,
  }
}
