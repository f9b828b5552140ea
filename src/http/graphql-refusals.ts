import type { FastifyReply } from 'fastify'
import { GraphQLError } from 'graphql'
import { InvalidTokenError, TokenKeysUnavailableError } from '../access/errors.ts'
import type { ErrorFormatter } from '../graphql/errors.ts'

const GRAPHQL_JSON = 'application/graphql-response+json'

/** Several errors for one request. */
export class Refused extends Error {
  readonly errors: readonly GraphQLError[]

  constructor(errors: readonly GraphQLError[]) {
    super('The operation is refused.')
    this.errors = errors
  }
}

/** What a client is told of something that was thrown before its operation ran; throws on what is a fault of ours. */
export function refusals(error: unknown): readonly GraphQLError[] {
  if (error instanceof Refused) return error.errors
  if (error instanceof GraphQLError) return [error]
  if (error instanceof InvalidTokenError) return [refusal(error.message, 'UNAUTHENTICATED', 401)]
  if (error instanceof TokenKeysUnavailableError) return [refusal(error.message, error.code, 503)]
  throw error
}

/** An error with the HTTP status that goes with it. */
export function refusal(message: string, code: string, status: number): GraphQLError {
  return new GraphQLError(message, { extensions: { code, http: { status } } })
}

/** Answers with errors alone, in the form and with the status that GraphQL over HTTP asks for. */
export function refuse(
  reply: FastifyReply,
  errors: readonly GraphQLError[],
  formatError: ErrorFormatter,
): FastifyReply {
  const http = errors[0]?.extensions['http'] as { status?: number; challenge?: string } | undefined
  const { accept: accepted = '', authorization } = reply.request.headers
  if (http?.status === 401) reply.header('www-authenticate', http.challenge ?? bearer(authorization))
  return reply
    .code(http?.status ?? 400)
    .type(`${accepted.includes(GRAPHQL_JSON) ? GRAPHQL_JSON : 'application/json'}; charset=utf-8`)
    .send(JSON.stringify({ errors: errors.map((error) => formatError(error.toJSON(), error)) }))
}

/** What a 401 has to name (RFC 6750, section 3): an error only for whoever has shown a token. */
function bearer(authorization: string | undefined): string {
  return /^bearer\b/i.test(authorization ?? '') ? 'Bearer error="invalid_token"' : 'Bearer'
}
