import { randomUUID } from 'node:crypto'
import { unwrapResolverError } from '@apollo/server/errors'
import { GraphQLError, type GraphQLFormattedError } from 'graphql'
import { abridged } from '../lib/abbreviate.ts'
import type { ReadFailure } from '../lookups/operation-outcome.ts'
import type { Logger } from '../observability/logger.ts'
import type { HideNames } from './admission/hidden-names.ts'

/** Bad arguments of a query: clear, typed, and naming the argument. */
export function badArgument(argument: string, message: string): GraphQLError {
  return new GraphQLError(`${argument} ${message}`, { extensions: { code: 'BAD_USER_INPUT', argument } })
}

/** A request that cannot be read, or that asks for what is not there. */
export function badRequest(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'BAD_REQUEST' } })
}

/** The caller did not say who they are. */
export function unauthenticated(): GraphQLError {
  return new GraphQLError('A valid token is required.', { extensions: { code: 'UNAUTHENTICATED' } })
}

/** The router's secret as a challenge, for the header `WWW-Authenticate` (RFC 9110, section 11.6.1). */
export const ROUTER_CHALLENGE = 'RouterSecret'

/** The request does not come from the router, as far as anybody can tell. */
export function routerOnly(): GraphQLError {
  return new GraphQLError("This needs the router's secret.", {
    extensions: { code: 'UNAUTHENTICATED', http: { status: 401, challenge: ROUTER_CHALLENGE } },
  })
}

/** The caller's token does not carry a scope that the field needs. */
export function forbidden(field: string): GraphQLError {
  return new GraphQLError(`The token does not carry a scope that ${field} needs.`, {
    extensions: { code: 'FORBIDDEN' },
  })
}

/** There is nothing with this id, or nothing that this caller may see: the two look the same. */
export function notFound(argument: string): GraphQLError {
  return new GraphQLError(`There is nothing with this ${argument}.`, { extensions: { code: 'NOT_FOUND', argument } })
}

const READ_CODES: Readonly<Record<ReadFailure['kind'], string>> = {
  'not-found': 'NOT_FOUND',
  'upstream-rejected': 'UPSTREAM_REJECTED',
  'upstream-unavailable': 'UPSTREAM_UNAVAILABLE',
  'credentials-rejected': 'CREDENTIALS_REJECTED',
}

const READ_MESSAGES: Readonly<Record<ReadFailure['kind'], string>> = {
  'not-found': 'The payments API has nothing of this kind.',
  'upstream-rejected': 'The payments API refused this request.',
  'upstream-unavailable': 'The payments API did not answer this.',
  'credentials-rejected': 'The payments API rejected the credentials of the site.',
}

/** The error of a query for which the payments API gave no answer that can be used. Its own text is not repeated. */
export function failedRead(failure: ReadFailure): GraphQLError {
  const site = failure.kind === 'credentials-rejected' ? { site: failure.site } : {}
  return new GraphQLError(READ_MESSAGES[failure.kind], { extensions: { code: READ_CODES[failure.kind], ...site } })
}

export type ErrorFormatter = (formatted: GraphQLFormattedError, error: unknown) => GraphQLFormattedError

/** What GraphQL appends to the message about a misspelt name: it tells names of the schema. */
const SUGGESTION = 'Did you mean '

type FormatterOptions = {
  readonly logger: Logger
  /** Takes names of the schema out of messages; null where they may be told. */
  readonly hideNames: HideNames | null
}

/**
 * What a client sees of an error, in at most 200 characters. What the graph itself raised on purpose is shown; a bug or a fault shows neither its
 * message nor its stack, but an id, under which it stands in the log.
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
    const id = randomUUID()
    logger.error({ err: unwrapResolverError(error), errorId: id }, 'a resolver failed')
    return {
      message: 'The answer could not be made. The fault has been logged.',
      ...place,
      extensions: { code: 'INTERNAL_SERVER_ERROR', id },
    }
  }
}

/** What has a path was raised while the operation ran. What was refused before it ran hides its names by itself. */
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
 * GraphQL's own errors have no code: while an operation runs, those about an argument are the client's mistakes.
 * Apollo Server has put a code of its own in the place of the missing one.
 */
function codeOf({ extensions }: GraphQLError, shownCode: unknown): unknown {
  return extensions['code'] === undefined ? 'BAD_USER_INPUT' : shownCode
}

/** An error that GraphQL or the graph raised on purpose, whatever it was wrapped in on the way. */
function isIntended(error: unknown): error is GraphQLError {
  if (!(error instanceof GraphQLError)) return false
  if (error.originalError != null) return isIntended(error.originalError)
  return error.extensions['code'] !== undefined || isArgumentMistake(error)
}

/** Of the errors that GraphQL raises while it runs an operation, these are not about our own answers. */
function isArgumentMistake({ message }: GraphQLError): boolean {
  return message.startsWith('Argument "')
}
