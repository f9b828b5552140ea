import type { buildSubgraphSchema } from '@apollo/subgraph'
import { type ConstDirectiveNode, type DocumentNode, type FieldDefinitionNode, Kind, parse, visit } from 'graphql'
import type { Context } from '../context.ts'

/** Fields and types of the program that embeds the subgraph. */
export type SchemaExtension = {
  readonly typeDefs: DocumentNode | string
  /** By type and field. They resolve what `typeDefs` define, and nothing else. */
  readonly resolvers: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

/** The context of their resolvers. `store` is for reading, and changes with the versions of the subgraph. */
export type ExtensionContext = Pick<Context, 'caller' | 'clock' | 'store'>

/** The type of resolvers in @apollo/subgraph, which does not export it. Our resolvers have stricter types, generated from the schema. */
type Module = Extract<
  Extract<Parameters<typeof buildSubgraphSchema>[0], readonly unknown[]>[number],
  { typeDefs: unknown }
>
export type ResolverMap = NonNullable<Module['resolvers']>

/**
 * Returns an extension as a module of a schema. Its fields may depend on the caller, so caches keep no answer that contains one, unless the
 * field has a `@cacheControl` of its own. Throws if it redefines or resolves what is in the schema, because a field would lose its rights,
 * and if it extends subscriptions, whose sources are not resolvers.
 */
export function extensionModule(
  { typeDefs, resolvers }: SchemaExtension,
  schema: DocumentNode,
): { typeDefs: DocumentNode; resolvers: ResolverMap } {
  const document = typeof typeDefs === 'string' ? parse(typeDefs) : typeDefs
  const [known, added] = [namesIn(schema), namesIn(document)]
  const taken = [...added].find((name) => known.has(name) || /^Subscription\b/.test(name))
  if (taken !== undefined) throw new Error(`An extension of the schema cannot define ${taken}.`)
  for (const [type, fields] of Object.entries(resolvers))
    for (const field of Object.keys(fields))
      if (!added.has(type) && !added.has(`${type}.${field}`))
        throw new Error(`An extension of the schema cannot resolve ${type}.${field}, which it does not define.`)
  return { typeDefs: visit(document, { FieldDefinition: withPrivacy }), resolvers: resolvers as ResolverMap }
}

/** Returns the names of the types that a document defines, and of the fields in its types and extensions, such as `Payment.id`. */
function namesIn({ definitions }: DocumentNode): ReadonlySet<string> {
  return new Set(
    definitions.flatMap((node) => {
      if (!('name' in node) || node.name === undefined) return []
      const { value: name } = node.name
      const fields = 'fields' in node ? (node.fields ?? []).map((field) => `${name}.${field.name.value}`) : []
      return node.kind.endsWith('TypeDefinition') ? [name, ...fields] : fields
    }),
  )
}

const PRIVATE: ConstDirectiveNode = {
  kind: Kind.DIRECTIVE,
  name: { kind: Kind.NAME, value: 'cacheControl' },
  arguments: [
    {
      kind: Kind.ARGUMENT,
      name: { kind: Kind.NAME, value: 'scope' },
      value: { kind: Kind.ENUM, value: 'PRIVATE' },
    },
  ],
}

function withPrivacy(node: FieldDefinitionNode): FieldDefinitionNode {
  const { directives = [] } = node
  const isStated = directives.some(({ name }) => name.value === PRIVATE.name.value)
  return isStated ? node : { ...node, directives: [...directives, PRIVATE] }
}
