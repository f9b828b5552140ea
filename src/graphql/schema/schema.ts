import { readFileSync } from 'node:fs'
import { buildASTSchema, parse, print, type GraphQLSchema } from 'graphql'
import { resolvers } from '../resolvers/index.ts'
import { attachResolvers, type ResolverMap } from './attach-resolvers.ts'
import { checkRepresentations } from './check-representations.ts'
import { withFederation } from './federation.ts'
import { enforceScopes } from './require-scopes.ts'
import { createScalars } from './scalars.ts'
import { withoutScopes } from './without-scopes.ts'

const SCHEMA_FILE = new URL('../../../schema.graphql', import.meta.url)

export type SchemaOptions = {
  readonly production: boolean
  /** Whether `_service { sdl }` contains `@requiresScopes`. It is enforced in any case. Default true. */
  readonly sdlScopes?: boolean
}

/** Creates the subgraph's executable schema from schema.graphql and the resolvers, and enforces the scopes that it requires. */
export function createSchema({ production, sdlScopes = true }: SchemaOptions): GraphQLSchema {
  const document = withFederation(parse(readFileSync(SCHEMA_FILE, 'utf8'), { noLocation: true }))
  // The file ships with the code, and tests validate it.
  const schema = buildASTSchema(document, { assumeValid: true, assumeValidSDL: true })
  attachResolvers(schema, { ...resolvers, ...createScalars({ production }) } as ResolverMap)
  let printed: string | null = null
  const printOnce = () => (printed ??= sdlScopes ? print(document) : withoutScopes(print(document)))
  attachResolvers(schema, { Query: { _service: () => ({ sdl: printOnce() }) } })
  return checkRepresentations(enforceScopes(schema))
}
