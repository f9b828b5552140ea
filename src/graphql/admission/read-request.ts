import { GraphQLError } from 'graphql'
import { badRequest } from '../error-formatter.ts'
import type { TrustedDocuments } from './trusted-documents.ts'

/** An operation as a client asks for it. Nothing has been checked about it but that it is an object. */
export type OperationRequest = {
  readonly query?: unknown
  readonly operationName?: unknown
  readonly variables?: unknown
  readonly extensions?: unknown
  readonly documentId?: unknown
}

/** A request whose parts have the types that they need. */
export type RequestReading = {
  readonly query: string
  readonly operationName: string | null
  readonly variables: Readonly<Record<string, unknown>>
}

/** Who may send a text that is none of the trusted documents. */
export type TextSource = {
  readonly trusted: TrustedDocuments | null
  /**
   * The sender showed the router's secret. A router writes operations of its own out of those that it has admitted, and
   * nobody can list these beforehand, so its texts are taken as they are.
   */
  readonly writesOwnTexts: boolean
}

/** Reads a request, with the trusted document's text in the place of its id. Throws a GraphQLError that may be shown. */
export function readRequest(request: OperationRequest, source: TextSource): RequestReading {
  const { operationName = null, variables, extensions } = request
  if (operationName !== null && typeof operationName !== 'string') throw badRequest('operationName must be a string.')
  const id = documentId(request.documentId, objectIn(extensions, 'extensions'))
  return { query: textOf(request.query, id, source), operationName, variables: objectIn(variables, 'variables') }
}

function textOf(query: unknown, id: string | null, { trusted, writesOwnTexts }: TextSource): string {
  if (query !== undefined && query !== null && typeof query !== 'string') throw badRequest('query must be a string.')
  // The protocol of sockets asks for a text, so that a client that sends an id leaves it empty.
  const text = query === undefined || query === '' ? null : query
  if (trusted !== null && !(writesOwnTexts && id === null && text !== null)) {
    const known = trusted.resolve({ id, query: text })
    if (known === null) throw untrusted()
    return known
  }
  if (id !== null) throw notPersisted()
  if (text === null) throw badRequest('query is missing.')
  return text
}

/** The document's id, in the places where clients put it. Two that differ are none. */
function documentId(given: unknown, extensions: Readonly<Record<string, unknown>>): string | null {
  const persisted = extensions['persistedQuery']
  const hash = persisted === undefined ? undefined : objectIn(persisted, 'persistedQuery')['sha256Hash']
  const ids = [given, hash].filter((id) => id !== undefined && id !== null)
  if (persisted !== undefined && persisted !== null && typeof hash !== 'string')
    throw badRequest('persistedQuery must hold a sha256Hash.')
  const [id = null] = ids
  if (ids.some((other) => typeof other !== 'string' || other !== id))
    throw badRequest('The document must be named by one id.')
  return typeof id === 'string' ? id : null
}

function objectIn(value: unknown, name: string): Readonly<Record<string, unknown>> {
  if (value === undefined || value === null) return {}
  if (typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>
  throw badRequest(`${name} must be an object.`)
}

/** Nothing but the documents of the manifest runs here. */
function untrusted(): GraphQLError {
  return new GraphQLError('This document is not one of the trusted ones.', {
    extensions: { code: 'UNTRUSTED_DOCUMENT' },
  })
}

/** What clients that register documents by themselves understand: they send the text instead. */
function notPersisted(): GraphQLError {
  return new GraphQLError('PersistedQueryNotSupported', {
    extensions: { code: 'PERSISTED_QUERY_NOT_SUPPORTED', http: { status: 200 } },
  })
}
