import { buildSubgraphSchema } from '@apollo/subgraph'
import { isObjectType, type GraphQLSchema } from 'graphql'
import { resolvers } from '../resolvers/index.ts'
import { checkRepresentations } from './check-representations.ts'
import { enforceScopes } from './require-scopes.ts'
import { createScalars } from './scalars.ts'
import { readSchemaDocument } from './schema-document.ts'
import { withoutScopes } from './without-scopes.ts'

export type SchemaOptions = {
  readonly production: boolean
  /** Whether `_service { sdl }` contains `@requiresScopes`. It is enforced in any case. Default true. */
  readonly sdlScopes?: boolean
}

/** Creates the subgraph's executable schema from schema.graphql and the resolvers, and enforces the scopes that it requires. */
export function createSchema({ production, sdlScopes = true }: SchemaOptions): GraphQLSchema {
  const typeDefs = readSchemaDocument()
  const everything = { ...resolvers, ...createScalars({ production }) } as ResolverMap
  const schema = checkRepresentations(enforceScopes(buildSubgraphSchema([{ typeDefs, resolvers: everything }])))
  return sdlScopes ? schema : printWithoutScopes(schema)
}

/** Replaces the resolver of `_service { sdl }`, in place, by one that omits `@requiresScopes`, and returns the schema. */
function printWithoutScopes(schema: GraphQLSchema): GraphQLSchema {
  const type = schema.getType('_Service')
  const field = isObjectType(type) ? type.getFields()['sdl'] : undefined
  if (field === undefined) throw new Error('The schema does not print itself.')
  let printed: string | null = null
  field.resolve = ({ sdl }: { readonly sdl: string }) => (printed ??= withoutScopes(sdl))
  return schema
}

/** The type of resolvers in @apollo/subgraph, which does not export it. Our resolvers have stricter types, generated from the schema. */
type Module = Extract<
  Extract<Parameters<typeof buildSubgraphSchema>[0], readonly unknown[]>[number],
  { typeDefs: unknown }
>
type ResolverMap = NonNullable<Module['resolvers']>
