import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import {
  GraphQLError,
  getVariableValues,
  isInputType,
  isListType,
  isNonNullType,
  isInputObjectType,
  typeFromAST,
  valueFromAST,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type ValueNode,
} from 'graphql'
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
  /** Whether the text is a trusted document, so that the names of its operations are the operator's own. */
  readonly isTrusted: boolean
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
  const { query, isTrusted } = textOf(request.query, id, source)
  return {
    query,
    isTrusted,
    // Code generators write an empty name for an operation without one.
    operationName: operationName === '' ? null : operationName,
    variables: objectIn(variables, 'variables'),
  }
}

type Text = Pick<RequestReading, 'query' | 'isTrusted'>

function textOf(query: unknown, id: string | null, { trusted, writesOwnTexts }: TextSource): Text {
  if (query !== undefined && query !== null && typeof query !== 'string') throw badRequest('query must be a string.')
  // The WebSocket protocol requires `query`, so a client that sends an id sends an empty text.
  const text = query === undefined || query === '' ? null : query
  if (trusted !== null && !(writesOwnTexts && id === null && text !== null)) {
    const known = trusted.resolve({ id, query: text })
    if (known === null) throw untrusted()
    return { query: known, isTrusted: true }
  }
  if (id !== null) throw notPersisted()
  if (text === null) throw badRequest('query is missing.')
  return { query: text, isTrusted: false }
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
    throw badRequest('The document must be identified by exactly one id.')
  return typeof id === 'string' ? id : null
}

function objectIn(value: unknown, name: string): Readonly<Record<string, unknown>> {
  if (value === undefined || value === null) return {}
  if (typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>
  throw badRequest(`${name} must be an object.`)
}

/** Creates the error for a document that is not in the manifest. */
function untrusted(): GraphQLError {
  return new GraphQLError('This document is not trusted.', {
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

type Values = Readonly<Record<string, unknown>>
type Options = Parameters<typeof getVariableValues>[3]

/** Coerces the values of an operation's variables, as `getVariableValues` of graphql-js does. */
export type CoerceVariables = (node: OperationDefinitionNode, values: Values) => ReturnType<typeof getVariableValues>

/** Marks a value whose coercion is left to graphql-js: an invalid value, or a valid form that is rare. */
const UNUSUAL = Symbol('unusual')

/** Returns the coerced value, or `UNUSUAL`. */
type Coerce = (value: unknown) => unknown

type Variable = {
  readonly name: string
  readonly type: GraphQLInputType
  readonly coerce: Coerce
  readonly defaultValue: ValueNode | undefined
}

/** Creates the coercion, compiled once per operation. If a value is `UNUSUAL`, graphql-js coerces all variables and reports the errors. */
export function createVariableCoercion(schema: GraphQLSchema, options: Options): CoerceVariables {
  const compile = createCompiler()
  const variablesOf = new WeakMap<OperationDefinitionNode, readonly Variable[] | null>()
  const compiled = (node: OperationDefinitionNode) => {
    const known = variablesOf.get(node)
    if (known !== undefined) return known
    const variables: Variable[] = []
    for (const { variable, type: typeNode, defaultValue } of node.variableDefinitions ?? []) {
      const type = typeFromAST(schema, typeNode)
      if (isInputType(type)) variables.push({ name: variable.name.value, type, coerce: compile(type), defaultValue })
    }
    const all = variables.length === (node.variableDefinitions ?? []).length ? variables : null
    variablesOf.set(node, all)
    return all
  }
  return (node, values) => {
    const coerced = coercedBy(compiled(node), values)
    return coerced === null ? getVariableValues(schema, node.variableDefinitions ?? [], values, options) : { coerced }
  }
}

function coercedBy(variables: readonly Variable[] | null, values: Values): Record<string, unknown> | null {
  if (variables === null) return null
  const coerced: Record<string, unknown> = {}
  for (const { name, type, coerce, defaultValue } of variables) {
    // An assignment to this name would set the prototype.
    if (name === '__proto__') return null
    if (Object.hasOwn(values, name)) {
      const value = coerce(values[name])
      if (value === UNUSUAL) return null
      coerced[name] = value
    } else if (defaultValue !== undefined) coerced[name] = valueFromAST(defaultValue, type)
    else if (isNonNullType(type)) return null
  }
  return coerced
}

function createCompiler() {
  const ofObjects = new Map<GraphQLInputObjectType, Coerce>()
  const compile = (type: GraphQLInputType): Coerce => {
    if (isNonNullType(type)) {
      const coerce = compile(type.ofType)
      return (value) => (value === null || value === undefined ? UNUSUAL : coerce(value))
    }
    const coerce = compilePresent(type)
    return (value) => (value === null || value === undefined ? null : coerce(value))
  }
  const compilePresent = (type: GraphQLInputType): Coerce => {
    if (isListType(type)) return listCoercion(compile(type.ofType))
    if (isInputObjectType(type)) return objectCoercion(type)
    return (value) => {
      try {
        const parsed: unknown = 'parseValue' in type ? type.parseValue(value) : undefined
        return parsed === undefined ? UNUSUAL : parsed
      } catch {
        return UNUSUAL
      }
    }
  }
  const objectCoercion = (type: GraphQLInputObjectType): Coerce => {
    const known = ofObjects.get(type)
    if (known !== undefined) return known
    // Input types may be recursive.
    let coerce: Coerce | null = null
    const coercion: Coerce = (value) => (coerce ??= fieldsCoercion(type, compile))(value)
    ofObjects.set(type, coercion)
    return coercion
  }
  return compile
}

function listCoercion(coerce: Coerce): Coerce {
  return (value) => {
    if (!Array.isArray(value)) return UNUSUAL
    const items: unknown[] = []
    for (const item of value) {
      const coerced = coerce(item)
      if (coerced === UNUSUAL) return UNUSUAL
      items.push(coerced)
    }
    return items
  }
}

type Field = { readonly definition: GraphQLInputField; readonly coerce: Coerce }

function fieldsCoercion(type: GraphQLInputObjectType, compile: (type: GraphQLInputType) => Coerce): Coerce {
  if (type.isOneOf) return () => UNUSUAL
  const fields = Object.values(type.getFields()).map((definition): Field => ({
    definition,
    coerce: compile(definition.type),
  }))
  const names = new Set(fields.map(({ definition }) => definition.name))
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return UNUSUAL
    for (const name of Object.keys(value)) if (!names.has(name)) return UNUSUAL
    const given = value as Values
    const coerced: Record<string, unknown> = {}
    for (const { definition, coerce } of fields) {
      const { name, defaultValue } = definition
      const fieldValue = given[name]
      if (fieldValue === undefined) {
        if (defaultValue !== undefined) coerced[name] = defaultValue
        else if (isNonNullType(definition.type)) return UNUSUAL
        continue
      }
      const result = coerce(fieldValue)
      if (result === UNUSUAL) return UNUSUAL
      coerced[name] = result
    }
    return coerced
  }
}
