import { HeaderMap, type ApolloServer, type HTTPGraphQLResponse } from '@apollo/server'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../access/caller.ts'
import { InvalidTokenError, TokenKeysUnavailableError } from '../access/errors.ts'
import type { Context } from '../graphql/context.ts'
import { queryText, untrusted, type OperationRequest } from '../graphql/prepare-operation.ts'
import type { TrustedDocuments } from '../graphql/trusted-documents.ts'

export type GraphqlRouteOptions = {
  readonly apollo: ApolloServer<Context>
  readonly authenticate: (request: FastifyRequest) => Promise<Caller>
  readonly contextFor: (caller: Caller, request: FastifyRequest) => Context
  readonly trusted: TrustedDocuments | null
}

const MAX_BODY_BYTES = 100 * 1024

/** GraphQL over HTTP: POST, and GET for queries. Apollo Server holds the specification; this is only the way in. */
export function addGraphqlRoute(app: FastifyInstance, options: GraphqlRouteOptions): void {
  const { apollo, authenticate, contextFor, trusted } = options

  app.route({
    method: ['GET', 'POST'],
    url: '/graphql',
    bodyLimit: MAX_BODY_BYTES,
    handler: async (request, reply) => {
      reply.header('cache-control', 'private, no-store')
      let caller: Caller
      try {
        caller = await authenticate(request)
      } catch (error) {
        if (error instanceof InvalidTokenError) return refuse(reply, 401, 'UNAUTHENTICATED', error.message)
        if (error instanceof TokenKeysUnavailableError) return refuse(reply, 503, error.code, error.message)
        throw error
      }
      const body = trusted === null ? request.body : trustedBody(request, trusted)
      if (body === null) return refuse(reply, 400, 'UNTRUSTED_DOCUMENT', untrusted().message)
      const response = await apollo.executeHTTPGraphQLRequest({
        httpGraphQLRequest: {
          method: request.method,
          headers: headersOf(request),
          search:
            trusted === null ? new URL(request.url, 'http://localhost').search : searchOf(body as OperationRequest),
          body,
        },
        context: async () => contextFor(caller, request),
      })
      return send(reply, response)
    },
  })
}

/** The body with the trusted document's text in the place of its id; null for a document that is not trusted. */
function trustedBody(request: FastifyRequest, trusted: TrustedDocuments): OperationRequest | null {
  const asked = (request.method === 'POST' ? request.body : fromSearch(request.query)) as
    | OperationRequest
    | null
    | undefined
  const query = asked == null ? null : queryText(asked, trusted)
  if (query === null) return null
  // Null and not undefined: Apollo Server takes a key without a value for a malformed one.
  return { query, operationName: asked?.operationName ?? null, variables: asked?.variables ?? null }
}

function searchOf({ query, operationName, variables }: OperationRequest): string {
  const search = new URLSearchParams({ query: query ?? '' })
  if (operationName != null) search.set('operationName', operationName)
  if (variables != null) search.set('variables', JSON.stringify(variables))
  return `?${search.toString()}`
}

function fromSearch(query: unknown): Record<string, unknown> {
  const { variables, extensions, ...rest } = query as Record<string, string>
  return { ...rest, variables: parsed(variables), extensions: parsed(extensions) }
}

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

function headersOf(request: FastifyRequest): HeaderMap {
  const headers = new HeaderMap()
  for (const [name, value] of Object.entries(request.headers))
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value)
  return headers
}

async function send(reply: FastifyReply, { status, headers, body }: HTTPGraphQLResponse): Promise<FastifyReply> {
  for (const [name, value] of headers) if (name !== 'cache-control') reply.header(name, value)
  reply.code(status ?? 200)
  if (body.kind === 'complete') return reply.send(body.string)
  const parts: string[] = []
  for await (const part of body.asyncIterator) parts.push(part)
  return reply.send(parts.join(''))
}

function refuse(reply: FastifyReply, status: number, code: string, message: string): FastifyReply {
  return reply.code(status).send({ errors: [{ message, extensions: { code } }] })
}
