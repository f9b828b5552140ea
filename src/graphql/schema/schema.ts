import { readFileSync } from 'node:fs'
import { buildSubgraphSchema } from '@apollo/subgraph'
import { parse, type GraphQLSchema } from 'graphql'
import { resolvers } from '../resolvers/index.ts'
import { checkRepresentations } from './check-representations.ts'
import { enforceScopes } from './require-scopes.ts'
import { createScalars } from './scalars.ts'

const SCHEMA_FILE = new URL('../../../schema.graphql', import.meta.url)

/** Creates the subgraph's executable schema from schema.graphql and the resolvers, and enforces the scopes that it requires. */
export function createSchema(options: { production: boolean }): GraphQLSchema {
  const typeDefs = parse(readFileSync(SCHEMA_FILE, 'utf8'))
  const everything = { ...resolvers, ...createScalars(options) } as ResolverMap
  return checkRepresentations(enforceScopes(buildSubgraphSchema([{ typeDefs, resolvers: everything }])))
}

/** The type of resolvers in @apollo/subgraph, which does not export it. Our resolvers have stricter types, generated from the schema. */
type Module = Extract<
  Extract<Parameters<typeof buildSubgraphSchema>[0], readonly unknown[]>[number],
  { typeDefs: unknown }
>
type ResolverMap = NonNullable<Module['resolvers']>
