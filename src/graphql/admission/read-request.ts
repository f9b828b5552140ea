import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { GraphQLError } from 'graphql'
import { z } from 'zod'
import { badRequest } from '../error-formatter.ts'

/** A GraphQL request as received. It is known only to be an object; its properties are not checked. */
export type OperationRequest = {
  readonly query?: unknown
  readonly operationName?: unknown
  readonly variables?: unknown
  readonly extensions?: unknown
  readonly documentId?: unknown
}

/** A request whose parts have the required types. */
export type RequestReading = {
  readonly query: string
  readonly operationName: string | null
  readonly variables: Readonly<Record<string, unknown>>
}

/** The rules about document texts for one request. */
type TextSource = {
  readonly trusted: TrustedDocuments | null
  /**
   * The request has the router's secret. The router derives its own operations from the operations that it has admitted.
   * They cannot be listed in advance, so its texts are accepted without the list of trusted documents.
   */
  readonly writesOwnTexts: boolean
}

/** Returns a request, with a trusted document's id replaced by its text. Throws a `GraphQLError` that may be shown to the client. */
export function readRequest(request: OperationRequest, source: TextSource): RequestReading {
  const { operationName = null, variables, extensions } = request
  if (operationName !== null && typeof operationName !== 'string') throw badRequest('operationName must be a string.')
  const id = documentId(request.documentId, objectIn(extensions, 'extensions'))
  return { query: textOf(request.query, id, source), operationName, variables: objectIn(variables, 'variables') }
}

function textOf(query: unknown, id: string | null, { trusted, writesOwnTexts }: TextSource): string {
  if (query !== undefined && query !== null && typeof query !== 'string') throw badRequest('query must be a string.')
  // The WebSocket protocol requires `query`, so a client that sends an id sends an empty text.
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

/** Returns the document's id from `documentId` or `persistedQuery`; null without one. Throws BAD_REQUEST if the two differ. */
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

/** Creates the error for a document that is not in the manifest. */
function untrusted(): GraphQLError {
  return new GraphQLError('This document is not one of the trusted ones.', {
    extensions: { code: 'UNTRUSTED_DOCUMENT' },
  })
}

/** Creates the error on which clients with automatic persisted queries send the text instead. */
function notPersisted(): GraphQLError {
  return new GraphQLError('PersistedQueryNotSupported', {
    extensions: { code: 'PERSISTED_QUERY_NOT_SUPPORTED', http: { status: 200 } },
  })
}

/** The documents that clients may run, by id and by text. */
export type TrustedDocuments = {
  /**
   * Returns the text of the trusted document with this id, or with this text. If both are sent, the texts must be identical.
   * Returns null if the document is not trusted.
   */
  resolve(request: { readonly id: string | null; readonly query: string | null }): string | null
}

/** Relay's persisted documents: an object that maps ids to texts. https://relay.dev/docs/guides/persisted-queries */
const relayManifest = z.record(z.string(), z.string())

/** Apollo's manifest. https://www.apollographql.com/docs/graphos/platform/security/persisted-queries */
const apolloManifest = z.object({
  format: z.literal('apollo-persisted-query-manifest'),
  operations: z.array(z.object({ id: z.string(), body: z.string() })),
})

/** Reads a manifest in Apollo's or Relay's form. Throws an error that names the setting if the file has neither form. */
export function loadTrustedDocuments(path: string): TrustedDocuments {
  const byId = new Map(readManifest(path))
  const known = new Set([...byId.values()].map(digest))
  return {
    resolve({ id, query }) {
      if (id === null) return query !== null && known.has(digest(query)) ? query : null
      const text = byId.get(id) ?? null
      return query === null || query === text ? text : null
    },
  }
}

function readManifest(path: string): [string, string][] {
  const json: unknown = readJson(path)
  const apollo = apolloManifest.safeParse(json)
  if (apollo.success) return apollo.data.operations.map(({ id, body }) => [id, body])
  const relay = relayManifest.safeParse(json)
  if (relay.success) return Object.entries(relay.data)
  throw new Error('TRUSTED_DOCUMENTS: the file is neither an Apollo manifest nor a Relay one')
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    throw new Error('TRUSTED_DOCUMENTS: the file cannot be read as JSON')
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64')
}
