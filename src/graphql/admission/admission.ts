import {
  ExecutableDefinitionsRule,
  GraphQLError,
  NoFragmentCyclesRule,
  NoUnusedFragmentsRule,
  parse,
  specifiedRules,
  UniqueFragmentNamesRule,
  validate,
  type DocumentNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
  OperationTypeNode,
} from 'graphql'
import { LRUCache } from 'lru-cache'
import type { OperationLimits } from '../../config.ts'
import { badRequest, badArgument, routerOnly } from '../error-formatter.ts'
import type { Weight } from './field-cost.ts'
import { createHideNames } from './hidden-names.ts'
import { measureDocument, type MeasuredDocument, type Measures } from './measure-document.ts'
import { withPlace, withShortValue } from './place-of-value.ts'
import {
  createVariableCoercion,
  readRequest,
  type OperationRequest,
  type RequestReading,
  type TrustedDocuments,
} from './read-request.ts'
import { readSchemaCosts } from './schema-costs.ts'

type AdmissionOptions = {
  readonly schema: GraphQLSchema
  readonly policy: OperationPolicy
  readonly trusted: TrustedDocuments | null
}

/** An operation that may run. */
export type AdmittedOperation = {
  readonly document: DocumentNode
  readonly node: OperationDefinitionNode
  readonly request: RequestReading
  /** The coerced values of its variables, with their defaults. */
  readonly variables: Readonly<Record<string, unknown>>
}

export type Admission = {
  /**
   * Reads, measures and validates an operation. Returns it, or the errors for which it may not run. Never throws. `characters` is the length of
   * the text in which the request came, if that is known.
   */
  admit(
    request: OperationRequest,
    fromRouter: boolean,
    characters?: number,
  ): AdmittedOperation | { readonly errors: readonly GraphQLError[] }
}

const CACHE = { maxDocuments: 1_000, maxCharacters: 500_000 }
/** Characters of a request in which no variable is nested too deeply for `JSON.stringify`. */
const SHORT_REQUEST = 2_000
/** Bytes of UTF-8 that a UTF-16 code unit takes at most. */
const MAX_BYTES_OF_CHARACTER = 3
/** Validation and coercion stop after this number of errors. */
const MAX_ERRORS = 5

/**
 * Validation rules that take linear time, for documents that the measures do not cover: those with definitions that are not
 * executable, and those with fragments that spread themselves, are unused or share a name. For such documents some of the
 * other rules take quadratic time.
 */
const STRUCTURE_RULES = [
  ExecutableDefinitionsRule,
  UniqueFragmentNamesRule,
  NoUnusedFragmentsRule,
  NoFragmentCyclesRule,
]

/** A valid document within the size limits, with its operations. */
type AdmittedDocument = {
  readonly document: DocumentNode
  readonly operations: MeasuredDocument['operations']
}

/** Creates the admission for a schema. Admitted documents are cached by their text. */
export function createAdmission({ schema, policy, trusted }: AdmissionOptions): Admission {
  const { limits } = policy
  const world = { schema, costs: readSchemaCosts(schema) }
  const hideNames = policy.hideNames ? createHideNames(schema) : (message: string) => message
  const cache = createDocumentCache<AdmittedDocument>(CACHE)

  const coerceVariables = createVariableCoercion(schema, { maxErrors: MAX_ERRORS, hideSuggestions: policy.hideNames })

  const mistakesIn = (document: DocumentNode, { operations, isComplete }: MeasuredDocument) => {
    const options = { maxErrors: MAX_ERRORS, hideSuggestions: policy.hideNames }
    const isMeasured = isComplete && operations.every(({ measures }) => !measures.cyclic)
    const unmeasured = isMeasured ? [] : validate(schema, document, STRUCTURE_RULES, options)
    return unmeasured.length > 0 ? unmeasured : validate(schema, document, specifiedRules, options)
  }

  const admitDocument = (query: string): AdmittedDocument => {
    const known = cache.get(query)
    if (known !== undefined) return known
    const document = parsed(query, limits.tokens)
    const measured = measureDocument(world, document)
    const { operations } = measured
    for (const { node, measures } of operations) {
      refuseWith(sizeRefusal(measures, limits))
      refuseWith(streamRefusal(node, measures))
    }
    const errors = mistakesIn(document, measured)
    if (errors.length > 0)
      throw new Refusal(errors.map((error) => coded(withPlace(error, document), 'GRAPHQL_VALIDATION_FAILED')))
    const admitted = { document, operations }
    cache.set(query, admitted)
    return admitted
  }

  const coerced = (node: OperationDefinitionNode, variables: RequestReading['variables']) => {
    const values = coerceVariables(node, variables)
    if (values.errors !== undefined)
      throw new Refusal(values.errors.map((error) => coded(withShortValue(error), 'BAD_USER_INPUT')))
    return values.coerced
  }

  const admitOperation = (request: RequestReading, fromRouter: boolean, characters: number): AdmittedOperation => {
    const { document, operations } = admitDocument(request.query)
    const { node, measures } = chosen(operations, request.operationName)
    refuseWith(accessRefusal(measures, policy, fromRouter))
    const hasSecret = policy.routerOnly && fromRouter
    const maxBytes = hasSecret && measures.forRouter ? limits.router.bytes : limits.variableBytes
    const isShort = characters <= Math.min(SHORT_REQUEST, maxBytes / MAX_BYTES_OF_CHARACTER)
    // First, since its error names the place of what is nested too deeply to be written as JSON.
    const variables = coerced(node, request.variables)
    if (!isShort && Buffer.byteLength(JSON.stringify(request.variables)) > maxBytes)
      throw beyond('bytes of variables', maxBytes)
    refuseWith(weightRefusal(measures.weigh(variables), limits, hasSecret))
    return { document, node, request, variables }
  }

  return {
    admit(request, fromRouter, characters = Infinity) {
      let read: RequestReading | null = null
      try {
        read = readRequest(request, { trusted, writesOwnTexts: policy.routerOnly && fromRouter })
        return admitOperation(read, fromRouter, characters)
      } catch (error) {
        const told = () => (read === null ? '' : `${read.query} ${writtenVariables(read)}`)
        return { errors: refusals(error).map((refusal) => renamed(refusal, hideNames(refusal.message, told))) }
      }
    },
  }
}

/** Returns the variables as JSON; empty if they are too deeply nested for `JSON.stringify`, although `JSON.parse` can read them. */
function writtenVariables({ variables }: RequestReading): string {
  try {
    return JSON.stringify(variables)
  } catch (error) {
    if (error instanceof RangeError) return ''
    throw error
  }
}

/** Several errors at once. */
class Refusal extends Error {
  readonly errors: readonly GraphQLError[]

  constructor(errors: readonly GraphQLError[]) {
    super('The operation is refused.')
    this.errors = errors
  }
}

function refuseWith(refusal: GraphQLError | null): void {
  if (refusal !== null) throw refusal
}

/** Returns the errors for the client. An internal error is kept as `originalError`, so that it is logged and not shown. */
function refusals(error: unknown): readonly GraphQLError[] {
  if (error instanceof Refusal) return error.errors
  if (error instanceof GraphQLError) return [error]
  if (error instanceof RangeError) return [badRequest('The operation is nested too deeply to be read.')]
  return [new GraphQLError('The operation cannot be read.', { originalError: error as Error })]
}

function parsed(query: string, maxTokens: number): DocumentNode {
  try {
    return parse(query, { maxTokens })
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error
    throw /contains more tha[nt] \d+ tokens/.test(error.message)
      ? beyond('tokens', maxTokens)
      : coded(error, 'GRAPHQL_PARSE_FAILED')
  }
}

/** Returns the operation with this name, or the only one if `name` is null. Throws OPERATION_RESOLUTION_FAILURE if there is not exactly one. */
function chosen(
  operations: AdmittedDocument['operations'],
  name: string | null,
): AdmittedDocument['operations'][number] {
  const [first, second] = name === null ? operations : operations.filter(({ node }) => node.name?.value === name)
  if (first !== undefined && second === undefined) return first
  throw new GraphQLError('The document does not contain the requested operation.', {
    extensions: { code: 'OPERATION_RESOLUTION_FAILURE' },
  })
}

/** Returns the error with a code. The codes are those of Apollo Server. */
function coded(error: GraphQLError, code: string): GraphQLError {
  const { message, nodes = null, source = null, positions = null } = error
  return new GraphQLError(message, { nodes, source, positions, extensions: { code } })
}

function renamed(error: GraphQLError, message: string): GraphQLError {
  const { nodes = null, source = null, positions = null, originalError, extensions } = error
  return new GraphQLError(message, { nodes, source, positions, originalError, extensions })
}

type CacheBounds = {
  readonly maxDocuments: number
  /** Characters of all texts together. A cached value takes about a hundred bytes per character of its text. */
  readonly maxCharacters: number
}

/** Creates an LRU cache of values by document text. A value whose text is longer than a tenth of `maxCharacters` is not kept. */
export function createDocumentCache<Value extends object | string>({
  maxDocuments,
  maxCharacters,
}: CacheBounds): Pick<LRUCache<string, Value>, 'get' | 'set'> {
  return new LRUCache({
    max: maxDocuments,
    maxSize: maxCharacters,
    maxEntrySize: Math.floor(maxCharacters / 10),
    // The size of an entry must be positive, also for an empty text.
    sizeCalculation: (_value, text) => Math.max(1, text.length),
  })
}

/** The rules for operations, equal for all transports. */
export type OperationPolicy = {
  readonly limits: OperationLimits
  /** Introspection is allowed (in development). Not used if `routerOnly`. */
  readonly introspection: boolean
  /** `_service`, `_entities` and introspection require the router's secret; without this, `_service` and `_entities` are open. */
  readonly routerOnly: boolean
  /** Error messages contain no schema name that the client has not sent itself. */
  readonly hideNames: boolean
}

/** More than the depth of the introspection queries of tools, which follow a type through nine wrappers. */
const INTROSPECTION_DEPTH = 20

/** A list repeats an alias for each of its items, and a stream for each event. Clients and gateways make none of half this length. */
const MAX_ALIAS_LENGTH = 128

/** Returns the error if an operation is too large, otherwise null. Called before validation. */
function sizeRefusal(measures: Measures, limits: OperationLimits): GraphQLError | null {
  if (measures.depth > limits.depth) return beyond('depth', limits.depth)
  if (measures.introspectionDepth > INTROSPECTION_DEPTH) return beyond('introspection depth', INTROSPECTION_DEPTH)
  if (measures.rootFields > limits.rootFields) return beyond('root fields', limits.rootFields)
  if (measures.aliases > limits.aliases) return beyond('aliases', limits.aliases)
  if (measures.aliasLength > MAX_ALIAS_LENGTH) return beyond('length of an alias', MAX_ALIAS_LENGTH)
  return measures.directives > limits.directives ? beyond('directives', limits.directives) : null
}

/**
 * Returns the error if the root field of a subscription may be skipped, otherwise null: graphql-js throws if it is skipped.
 * https://spec.graphql.org/September2025/#sec-Single-Root-Field
 */
function streamRefusal({ operation }: OperationDefinitionNode, { conditional }: Measures): GraphQLError | null {
  if (operation !== OperationTypeNode.SUBSCRIPTION || !conditional) return null
  return new GraphQLError('The field of a subscription must not be left out by @skip or @include.', {
    extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
  })
}

/**
 * Returns the error if pages, entities or cost exceed a limit with the variables of this request, otherwise null. With the router's
 * secret, the cost of `_entities` is compared with a limit of its own.
 */
function weightRefusal(
  { page, entities, cost, entityCost }: Weight,
  limits: OperationLimits,
  hasSecret: boolean,
): GraphQLError | null {
  if (page !== null && page.size > limits.page)
    return badArgument(page.argument, `must lie between 1 and ${limits.page}`)
  const maxEntities = hasSecret ? limits.router.entities : limits.entities
  if (entities > maxEntities) return beyond('entities', maxEntities)
  if (hasSecret && entityCost > limits.router.cost) return beyond('cost of entities', limits.router.cost)
  return cost + (hasSecret ? 0 : entityCost) > limits.cost ? beyond('cost', limits.cost) : null
}

/** Returns the error if the policy forbids the operation's introspection or router fields to this client, otherwise null. */
function accessRefusal(
  { forRouter, introspectionDepth }: Measures,
  policy: OperationPolicy,
  fromRouter: boolean,
): GraphQLError | null {
  if (policy.routerOnly) return fromRouter || !forRouter ? null : routerOnly()
  if (policy.introspection || introspectionDepth === 0) return null
  return new GraphQLError('GraphQL introspection is turned off.', { extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } })
}

/** Creates the error of an operation that exceeds a limit. `maximum` is in the limit's own unit. */
function beyond(limit: string, maximum: number): GraphQLError {
  return new GraphQLError(`The operation goes beyond the limit for ${limit}, which is ${maximum}.`, {
    extensions: { code: 'OPERATION_LIMIT_EXCEEDED', limit, maximum },
  })
}
