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
  'status',
  'subscription',
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
export function allowedFields(fields: object): Record<string, unknown> {
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
