import {
  getOperationAST,
  GraphQLError,
  parse,
  specifiedRules,
  validate,
  type DocumentNode,
  type ExecutionArgs,
  type GraphQLSchema,
} from 'graphql'
import type { Context } from './context.ts'
import { extraRules, routerRefusal, type OperationPolicy } from './operation-policy.ts'
import type { TrustedDocuments } from './trusted-documents.ts'

/** An operation as a client asks for it. */
export type OperationRequest = {
  readonly query?: string | null | undefined
  readonly operationName?: string | null | undefined
  readonly variables?: Record<string, unknown> | null | undefined
  readonly extensions?: Record<string, unknown> | null | undefined
}

export type PrepareOptions = {
  readonly schema: GraphQLSchema
  readonly policy: OperationPolicy
  readonly trusted: TrustedDocuments | null
}

/** How many parsed documents are kept. */
const MAX_DOCUMENTS = 1_000

/**
 * Parses, checks and admits an operation for the transports that do not go through Apollo Server, by the very rules that
 * it is given too. Gives what `execute` and `subscribe` take, or the errors: a client's mistake never ends a socket.
 */
export function createPrepareOperation({ schema, policy, trusted }: PrepareOptions) {
  const validated = new Map<string, DocumentNode>()

  /** Parses and validates a text, once: ten thousand sockets ask for the same few documents. */
  const readDocument = (query: string, fromRouter: boolean): DocumentNode | readonly GraphQLError[] => {
    const key = `${fromRouter} ${query}`
    const known = validated.get(key)
    if (known !== undefined) return known
    const document = parse(query, { maxTokens: policy.maxTokens })
    const errors = validate(schema, document, [...specifiedRules, ...extraRules(policy, fromRouter)])
    if (errors.length > 0) return errors.map((error) => coded(error, 'GRAPHQL_VALIDATION_FAILED'))
    if (validated.size >= MAX_DOCUMENTS) validated.clear()
    validated.set(key, document)
    return document
  }

  return (request: OperationRequest, context: Context): ExecutionArgs | readonly GraphQLError[] => {
    try {
      const query = queryText(request, trusted)
      if (query === null) return [untrusted()]
      const document = readDocument(query, context.fromRouter)
      if (!('kind' in document)) return document
      const operation = getOperationAST(document, request.operationName ?? undefined)
      if (operation == null) return [badRequest('The document does not hold the operation that was asked for.')]
      const refusal = routerRefusal(document, operation, policy, context.fromRouter)
      if (refusal !== null) return [refusal]
      return {
        schema,
        document,
        contextValue: context,
        operationName: request.operationName ?? null,
        variableValues: request.variables ?? null,
      }
    } catch (error) {
      return [
        error instanceof GraphQLError
          ? coded(error, 'GRAPHQL_PARSE_FAILED')
          : badRequest('The operation cannot be read.'),
      ]
    }
  }
}

/** The text of the operation; null when it is not one of the trusted documents. */
export function queryText(request: OperationRequest, trusted: TrustedDocuments | null): string | null {
  if (trusted === null) return request.query ?? ''
  return trusted.resolve({ id: documentId(request), query: typeof request.query === 'string' ? request.query : null })
}

/** The document's id, in the places where clients put it. */
function documentId(request: OperationRequest): string | null {
  const persisted = request.extensions?.['persistedQuery'] as { sha256Hash?: unknown } | undefined
  const candidates = [(request as { documentId?: unknown }).documentId, persisted?.sha256Hash]
  return candidates.find((id) => typeof id === 'string') ?? null
}

/** Nothing but the documents of the manifest runs here. */
export function untrusted(): GraphQLError {
  return new GraphQLError('This document is not one of the trusted ones.', {
    extensions: { code: 'UNTRUSTED_DOCUMENT', http: { status: 400 } },
  })
}

/** The codes that Apollo Server gives to the same mistakes over HTTP. */
function coded({ message, nodes, source, positions }: GraphQLError, code: string): GraphQLError {
  return new GraphQLError(message, {
    nodes: nodes ?? null,
    source: source ?? null,
    positions: positions ?? null,
    extensions: { code },
  })
}

function badRequest(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'BAD_REQUEST' } })
}
