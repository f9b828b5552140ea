import { randomUUID } from 'node:crypto'
import { unwrapResolverError } from '@apollo/server/errors'
import { GraphQLError, type GraphQLFormattedError } from 'graphql'
import type { ReadFailure } from '../lookups/operation-outcome.ts'
import type { Logger } from '../observability/logger.ts'
import { isOutage } from '../store/store-errors.ts'
import type { HideNames } from './admission/hidden-names.ts'
import type { PaymentsErrorCode } from './generated.ts'

/** Creates the error for an invalid argument. `extensions.argument` names the argument. */
export function badArgument(argument: string, message: string): GraphQLError {
  return new GraphQLError(`${argument} ${message}`, { extensions: { code: 'BAD_USER_INPUT', argument } })
}

/** Creates the error for a request that cannot be read, or that names an operation that does not exist. */
export function badRequest(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'BAD_REQUEST' } })
}

/** Creates the error for a caller without a valid token. */
export function unauthenticated(): GraphQLError {
  return new GraphQLError('A valid token is required.', { extensions: { code: 'UNAUTHENTICATED' } })
}

/** The challenge that requests the router's secret, for the header `WWW-Authenticate` (RFC 9110, section 11.6.1). */
export const ROUTER_CHALLENGE = 'RouterSecret'

/** Creates the error for a request that needs the router's secret and does not have it. */
export function routerOnly(): GraphQLError {
  return new GraphQLError("This needs the router's secret.", {
    extensions: { code: 'UNAUTHENTICATED', http: { status: 401, challenge: ROUTER_CHALLENGE } },
  })
}

/** Creates the error for a token without a scope that the field requires. */
export function forbidden(field: string): GraphQLError {
  return new GraphQLError(`The token does not carry a scope that ${field} needs.`, {
    extensions: { code: 'FORBIDDEN' },
  })
}

/** Creates the error for an unknown id, and for an object that the caller may not read: the client cannot distinguish the two. */
export function notFound(argument: string): GraphQLError {
  return new GraphQLError(`Nothing was found with this ${argument}.`, { extensions: { code: 'NOT_FOUND', argument } })
}

const READ_CODES: Readonly<Record<ReadFailure['kind'], PaymentsErrorCode>> = {
  'not-found': 'UPSTREAM_NOT_FOUND',
  'upstream-rejected': 'UPSTREAM_REJECTED',
  'upstream-unavailable': 'UPSTREAM_UNAVAILABLE',
  'credentials-rejected': 'CREDENTIALS_REJECTED',
}

const READ_MESSAGES: Readonly<Record<ReadFailure['kind'], string>> = {
  'not-found': 'The payments API answered 404: at its address it has nothing of this kind for the site.',
  'upstream-rejected': 'The payments API refused this request.',
  'upstream-unavailable': 'The payments API did not answer this.',
  'credentials-rejected': 'The payments API rejected the credentials of the site.',
}

/**
 * Returns the code and the message of a read for which the payments API gave no usable answer. They contain nothing of the API's own text.
 */
export function describeReadFailure({ kind }: ReadFailure): { code: PaymentsErrorCode; message: string } {
  return { code: READ_CODES[kind], message: READ_MESSAGES[kind] }
}

/** Creates the error of a read for which the payments API gave no usable answer. */
export function failedRead(failure: ReadFailure): GraphQLError {
  const site = failure.kind === 'credentials-rejected' ? { site: failure.site } : {}
  const { code, message } = describeReadFailure(failure)
  return new GraphQLError(message, { extensions: { code, ...site } })
}

export type ErrorFormatter = (formatted: GraphQLFormattedError, error: unknown) => GraphQLFormattedError

/** Start of the suggestion that graphql-js appends to the message about a misspelt name. It contains schema names. */
const SUGGESTION = 'Did you mean '

type FormatterOptions = {
  readonly logger: Logger
  /** Removes schema names from messages; null if clients may see them. */
  readonly hideNames: HideNames | null
}

/**
 * Creates the formatter of errors for clients; messages have at most 200 characters. Errors that GraphQL or this graph raises
 * deliberately are shown. For an internal fault neither message nor stack is shown, but an id that is also in the log.
 */
export function createErrorFormatter({ logger, hideNames }: FormatterOptions): ErrorFormatter {
  return (formatted, error) => {
    const { locations, path } = formatted
    const place = { ...(locations === undefined ? {} : { locations }), ...(path === undefined ? {} : { path }) }
    if (isIntended(error)) {
      const { stacktrace: _stacktrace, http: _http, ...extensions } = formatted.extensions ?? {}
      const code = codeOf(error, extensions['code'])
      return { message: shown(formatted.message, error, hideNames), ...place, extensions: { ...extensions, code } }
    }
    if (isOfOutage(error)) {
      logger.error({ err: unwrapResolverError(error) }, 'a resolver failed')
      return { message: AWAY, ...place, extensions: { code: 'UNAVAILABLE', retryAfterMs: RETRY_AFTER_MS } }
    }
    const id = randomUUID()
    logger.error({ err: unwrapResolverError(error), errorId: id }, 'a resolver failed')
    return {
      message: 'The answer could not be made. The fault has been logged.',
      ...place,
      extensions: { code: 'INTERNAL_SERVER_ERROR', id },
    }
  }
}

const AWAY = 'The database does not answer. Try again later, a mutation with the same key.'
/** As of other refusals that are due to the process's own state. */
const RETRY_AFTER_MS = 5_000

/** Returns whether a resolver failed because of the database, so that the same request may succeed later. */
export function isOfOutage(error: unknown): boolean {
  return isOutage(error instanceof GraphQLError ? unwrapResolverError(error) : error)
}

/** Returns the message for the client. Errors with a path come from the execution; the admission hides the names in its own errors. */
function shown(message: string, error: GraphQLError, hideNames: HideNames | null): string {
  if (hideNames === null) return abridged(message)
  const plain = withoutSuggestion(message)
  return abridged(error.path === undefined ? plain : hideNames(plain, () => error.source?.body ?? ''))
}

function withoutSuggestion(message: string): string {
  const at = message.endsWith('?') ? message.indexOf(SUGGESTION) : -1
  return at === -1 ? message : message.slice(0, at).trimEnd()
}

/**
 * Returns the error's code. Errors of graphql-js have no code; those about an argument during execution are errors of the client.
 * For these, Apollo Server has set a code of its own, which is replaced.
 */
function codeOf({ extensions }: GraphQLError, shownCode: unknown): unknown {
  return extensions['code'] === undefined ? 'BAD_USER_INPUT' : shownCode
}

/** Returns whether GraphQL or this graph raised the error deliberately, also if it is wrapped in other errors. */
function isIntended(error: unknown): error is GraphQLError {
  if (!(error instanceof GraphQLError)) return false
  if (error.originalError != null) return isIntended(error.originalError)
  return error.extensions['code'] !== undefined || isArgumentMistake(error)
}

/** Returns whether an error that graphql-js raised during execution is about an argument, and not about a resolver's value. */
function isArgumentMistake({ message }: GraphQLError): boolean {
  return message.startsWith('Argument "')
}

/** Characters of a text that an error repeats. Longer ones quote what a client has sent: a value, a name, a document. */
const MOST = 200
/** Characters kept from the beginning of a longer text. The end is kept too, because GraphQL's messages end with what was expected. */
const START = 99

/** Returns a text of at most 200 characters; of a longer one the middle is left out. */
export function abridged(text: string): string {
  if (text.length <= MOST) return text
  return `${text.slice(0, START)}…${text.slice(START + 1 - MOST)}`.toWellFormed()
}
