import type { ApolloServerPlugin } from '@apollo/server'
import {
  getDirectiveValues,
  getNamedType,
  isAbstractType,
  isObjectType,
  isOutputType,
  Kind,
  OperationTypeNode,
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql'
import type { Context } from './context.ts'

/** How many seconds the answer to an operation stays fresh, for everybody; null when it is the caller's alone. */
export type CachePolicy = (document: DocumentNode, operation: OperationDefinitionNode) => number | null

/**
 * Reads the schema's own `@cacheControl`, once per operation of a document. A hint on a root field holds for everything below
 * it, down to a field that says otherwise. An answer is public when every root field says so, and nothing in it depends on
 * rights: mixed with anything else it is private.
 */
export function createCachePolicy(schema: GraphQLSchema): CachePolicy {
  const known = new WeakMap<OperationDefinitionNode, number | null>()
  const hintOf = createHintReader(schema)
  return (document, operation) => {
    const found = known.get(operation)
    if (found !== undefined) return found
    const seconds = freshFor(operation, { schema, document, hintOf })
    known.set(operation, seconds)
    return seconds
  }
}

/**
 * Puts the policy on answers without errors in which nothing is stale or missing. Apollo Server's own plugin looks at every field of every answer, which costs a
 * cached list a fifth of its throughput; this one looks at the operation.
 */
export function cachePolicyHeader(schema: GraphQLSchema): ApolloServerPlugin<Context> {
  const policy = createCachePolicy(schema)
  return {
    requestDidStart: async () => ({
      willSendResponse: async ({ document, operation, response, metrics, contextValue }) => {
        if (document === undefined || operation === undefined || response.body.kind !== 'single') return
        // A trace tells of one execution.
        const isCommon = response.body.singleResult.errors === undefined && metrics.captureTraces !== true
        const seconds = isCommon && !contextValue.freshness.isStale() ? policy(document, operation) : null
        if (seconds !== null) response.http.headers.set('cache-control', `public, max-age=${seconds}`)
      },
    }),
  }
}

type Hint = { readonly maxAge: number | null; readonly scope: 'PUBLIC' | 'PRIVATE' | null }

type World = {
  readonly schema: GraphQLSchema
  readonly document: DocumentNode
  readonly hintOf: (type: GraphQLNamedType, field: GraphQLField<unknown, unknown>) => Hint
}

type Visited = { readonly field: FieldNode; readonly parent: GraphQLNamedType; readonly isRoot: boolean }

function freshFor(operation: OperationDefinitionNode, world: World): number | null {
  const query = world.schema.getQueryType()
  if (operation.operation !== OperationTypeNode.QUERY || query === null || query === undefined) return null
  let seconds = Infinity
  for (const { field, parent, isRoot } of fieldsOf(
    { set: operation.selectionSet, parent: query, isRoot: true },
    world,
  )) {
    const name = field.name.value
    if (name === '__typename') continue
    // Of an abstract type any of the concrete ones may answer.
    for (const type of concrete(parent, world.schema)) {
      const definition = type.getFields()[name]
      const hint = definition === undefined ? null : world.hintOf(type, definition)
      if (hint === null || hint.scope === 'PRIVATE') return null
      if (isRoot && (hint.scope !== 'PUBLIC' || hint.maxAge === null)) return null
      seconds = Math.min(seconds, hint.maxAge ?? Infinity)
    }
  }
  return seconds > 0 && Number.isFinite(seconds) ? seconds : null
}

type Selection = { readonly set: SelectionSetNode; readonly parent: GraphQLNamedType; readonly isRoot: boolean }

/** Every field below a selection, through fragments. */
function* fieldsOf({ set, parent, isRoot }: Selection, world: World): Generator<Visited> {
  for (const node of set.selections) {
    if (node.kind === Kind.FIELD) {
      yield { field: node, parent, isRoot }
      const type = node.selectionSet === undefined ? undefined : typeBelow(parent, node, world.schema)
      if (node.selectionSet !== undefined && type !== undefined)
        yield* fieldsOf({ set: node.selectionSet, parent: type, isRoot: false }, world)
      continue
    }
    const fragment = node.kind === Kind.INLINE_FRAGMENT ? node : fragmentNamed(node.name.value, world.document)
    if (fragment === undefined) continue
    const condition = fragment.typeCondition?.name.value
    const type = condition === undefined ? parent : (world.schema.getType(condition) ?? parent)
    yield* fieldsOf({ set: fragment.selectionSet, parent: type, isRoot }, world)
  }
}

function typeBelow(parent: GraphQLNamedType, field: FieldNode, schema: GraphQLSchema): GraphQLNamedType | undefined {
  if (!('getFields' in parent)) return undefined
  const type = parent.getFields()[field.name.value]?.type
  return isOutputType(type) ? schema.getType(getNamedType(type).name) : undefined
}

function fragmentNamed(name: string, document: DocumentNode) {
  for (const definition of document.definitions)
    if (definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === name) return definition
  return undefined
}

function concrete(type: GraphQLNamedType, schema: GraphQLSchema): readonly GraphQLObjectType[] {
  if (isAbstractType(type)) return schema.getPossibleTypes(type)
  return isObjectType(type) ? [type] : []
}

/** The directives of rights, also under the names that the federation library gives to what is not imported. */
const RIGHTS = /^(?:\w+__)?(?:requiresScopes|authenticated|policy)$/

function createHintReader(schema: GraphQLSchema): World['hintOf'] {
  const directive = schema.getDirective('cacheControl')
  if (directive === null || directive === undefined) return () => ({ maxAge: null, scope: 'PRIVATE' })
  return (type, field) => {
    const nodes = [field, type, getNamedType(field.type)].flatMap(({ astNode }) => astNode ?? [])
    if (nodes.some(({ directives }) => directives?.some(({ name }) => RIGHTS.test(name.value)) === true))
      return { maxAge: null, scope: 'PRIVATE' }
    const hints = nodes.map((node) => getDirectiveValues(directive, node) as Partial<Hint> | undefined)
    return {
      maxAge: hints.find((hint) => typeof hint?.maxAge === 'number')?.maxAge ?? null,
      scope: hints.find((hint) => hint?.scope != null)?.scope ?? null,
    }
  }
}
