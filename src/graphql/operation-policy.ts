import {
  GraphQLError,
  Kind,
  NoSchemaIntrospectionCustomRule,
  type DocumentNode,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql'

/** What an operation may do, whatever transport brought it. */
export type OperationPolicy = {
  /** More than this many tokens are not parsed. */
  readonly maxTokens: number
  /** Introspection is for development, and for the router. */
  readonly introspection: boolean
  /** The subgraph's own fields and introspection are for the router alone. */
  readonly routerOnly: boolean
}

export const MAX_TOKENS = 1_000

const SUBGRAPH_FIELDS: ReadonlySet<string> = new Set(['_service', '_entities'])
const INTROSPECTION_FIELDS: ReadonlySet<string> = new Set(['__schema', '__type'])

/** The rules beside GraphQL's own that documents are validated by, for one caller. */
export function extraRules(policy: OperationPolicy, fromRouter: boolean) {
  const mayIntrospect = policy.routerOnly ? fromRouter : policy.introspection
  return mayIntrospect ? [] : [NoSchemaIntrospectionCustomRule]
}

/** Refuses the router's own fields, and introspection, to everyone else. Gives the refusal, or null. */
export function routerRefusal(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  policy: OperationPolicy,
  fromRouter: boolean,
): GraphQLError | null {
  if (!policy.routerOnly || fromRouter) return null
  const asked = rootFields(operation.selectionSet, document)
  const guarded = asked.find((name) => SUBGRAPH_FIELDS.has(name) || INTROSPECTION_FIELDS.has(name))
  return guarded === undefined
    ? null
    : new GraphQLError('This field is for the router.', { extensions: { code: 'FORBIDDEN', http: { status: 403 } } })
}

/** Names of the root fields that an operation selects, through fragments. */
function rootFields(set: SelectionSetNode, document: DocumentNode, seen = new Set<string>()): string[] {
  return set.selections.flatMap((selection) => {
    if (selection.kind === Kind.FIELD) return [selection.name.value]
    if (selection.kind === Kind.INLINE_FRAGMENT) return rootFields(selection.selectionSet, document, seen)
    const name = selection.name.value
    if (seen.has(name)) return []
    seen.add(name)
    const fragment = document.definitions.find(
      (definition) => definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === name,
    )
    return fragment?.kind === Kind.FRAGMENT_DEFINITION ? rootFields(fragment.selectionSet, document, seen) : []
  })
}
