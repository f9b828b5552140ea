import { readFileSync } from 'node:fs'
import { buildSubgraphSchema } from '@apollo/subgraph'
import {
  buildASTSchema,
  graphqlSync,
  isObjectType,
  isScalarType,
  parse,
  print,
  printSchema,
  type GraphQLSchema,
} from 'graphql'
import { describe, expect, it } from 'vitest'
import { resolvers } from '../../src/graphql/resolvers/index.ts'
import { attachResolvers, type ResolverMap } from '../../src/graphql/schema/attach-resolvers.ts'
import { withFederation } from '../../src/graphql/schema/federation.ts'
import { createScalars } from '../../src/graphql/schema/scalars.ts'
import { createSchema } from '../../src/graphql/schema/schema.ts'

const typeDefs = parse(readFileSync('schema.graphql', 'utf8'))
const map = { ...resolvers, ...createScalars({ production: true }) } as ResolverMap
/** Throws if the schema is invalid. */
const reference = buildSubgraphSchema([{ typeDefs, resolvers: map as never }])
const document = withFederation(typeDefs)

describe('the schema without a federation library', () => {
  it('is what @apollo/subgraph makes of it', () => {
    expect(print(document)).toBe(sdlOf(reference))
    expect(sdlOf(createSchema({ production: true }))).toBe(sdlOf(reference))
    expect(printSchema(createSchema({ production: true }))).toBe(printSchema(reference))
  })

  it('has the same resolvers, of fields, references and scalars', () => {
    const own = buildASTSchema(document)
    attachResolvers(own, map)
    expect(functionsOf(own).length).toBeGreaterThan(100)
    expect(functionsOf(own)).toStrictEqual(functionsOf(reference))
  })

  it.each([
    ['a type', { Nothing: { id: () => 1 } }],
    ['a field', { Payment: { nothing: () => 1 } }],
  ])('refuses the resolver of %s that is not there', (_what, unknown) => {
    expect(() => attachResolvers(buildASTSchema(document), unknown)).toThrow(/The schema has no .*othing/)
  })
})

function sdlOf(schema: GraphQLSchema): unknown {
  const { data } = graphqlSync({ schema, source: '{ _service { sdl } }' })
  return (data?.['_service'] as { sdl: unknown } | undefined)?.sdl
}

/** Returns every function that was attached, after the name of what it belongs to; those of `_service` and `_entities` are set later. */
function functionsOf(schema: GraphQLSchema): unknown[][] {
  return Object.values(schema.getTypeMap()).flatMap((type): unknown[][] => {
    if (isScalarType(type) && type.name in map) return [[type.name, type.serialize, type.parseValue, type.parseLiteral]]
    if (!isObjectType(type)) return []
    const fields = Object.values(type.getFields()).filter(({ name }) => !name.startsWith('_'))
    const onType: unknown[][] = [[type.name, type.isTypeOf, type.extensions]]
    return onType.concat(fields.map(({ name, resolve, subscribe }) => [`${type.name}.${name}`, resolve, subscribe]))
  })
}
