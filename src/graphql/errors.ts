import { unwrapResolverError } from '@apollo/server/errors'
import { GraphQLError, type GraphQLFormattedError } from 'graphql'
import type { Logger } from '../log.ts'
import type { ReadFailure } from '../operations/outcome.ts'

/** Bad arguments of a query: clear, typed, and naming the argument. */
export function badArgument(argument: string, message: string): GraphQLError {
  return new GraphQLError(`${argument} ${message}`, { extensions: { code: 'BAD_USER_INPUT', argument } })
}

/** The caller did not say who they are. */
export function unauthenticated(): GraphQLError {
  return new GraphQLError('A valid token is required.', { extensions: { code: 'UNAUTHENTICATED' } })
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

/** A query that only the service can answer, and that it did not answer. Its own words are not repeated. */
export function failedRead(failure: ReadFailure): GraphQLError {
  return new GraphQLError('The service did not answer this.', { extensions: { code: READ_CODES[failure.kind] } })
}

export type ErrorFormatter = (formatted: GraphQLFormattedError, error: unknown) => GraphQLFormattedError

/** What GraphQL appends to the message about a misspelt name: it tells names of the schema. */
const SUGGESTION = / ?Did you mean [^]*\?$/

/**
 * What a client sees of an error. What the graph itself raised on purpose is shown, in production without the names that
 * might have been meant; a bug or a fault shows neither its message nor its stack, and goes to the log.
 */
export function createErrorFormatter(logger: Logger, { production }: { production: boolean }): ErrorFormatter {
  return (formatted, error) => {
    const { stacktrace: _stacktrace, http: _http, ...extensions } = formatted.extensions ?? {}
    const message = production ? formatted.message.replace(SUGGESTION, '') : formatted.message
    if (isIntended(error)) return { ...formatted, message, extensions }
    logger.error({ err: unwrapResolverError(error) }, 'a resolver failed')
    const { locations, path } = formatted
    return {
      message: 'The answer could not be made. The fault has been logged.',
      ...(locations === undefined ? {} : { locations }),
      ...(path === undefined ? {} : { path }),
      extensions: { code: 'INTERNAL_SERVER_ERROR' },
    }
  }
}

/** An error that GraphQL or the graph raised on purpose, whatever it was wrapped in on the way. */
function isIntended(error: unknown): boolean {
  return error instanceof GraphQLError && (error.originalError == null || isIntended(error.originalError))
}
