import {
  GraphQLScalarType,
  isObjectType,
  type GraphQLFieldResolver,
  type GraphQLObjectType,
  type GraphQLSchema,
} from 'graphql'
import type { Context } from '../context.ts'

type Resolver = GraphQLFieldResolver<unknown, Context>
/** A resolver, or those of a subscription. */
type FieldResolvers = Resolver | { readonly resolve?: Resolver; readonly subscribe?: Resolver }

/** By type name: a scalar, or the resolvers of the type's fields. */
export type ResolverMap = Readonly<Record<string, GraphQLScalarType | Readonly<Record<string, FieldResolvers>>>>

const REFERENCE = '__resolveReference'

/** Attaches resolvers to a schema, in place. Throws if there is no such type or field. */
export function attachResolvers(schema: GraphQLSchema, resolvers: ResolverMap): void {
  for (const [name, given] of Object.entries(resolvers)) {
    const type = schema.getType(name)
    if (given instanceof GraphQLScalarType && type instanceof GraphQLScalarType) {
      const { serialize, parseValue, parseLiteral } = given
      Object.assign(type, { serialize, parseValue, parseLiteral })
    } else if (isObjectType(type)) attachToFields(type, given as Readonly<Record<string, FieldResolvers>>)
    else throw new Error(`The schema has no type ${name} with resolvers.`)
  }
}

function attachToFields(
  type: GraphQLObjectType<unknown, Context>,
  resolvers: Readonly<Record<string, FieldResolvers>>,
): void {
  const fields = type.getFields()
  for (const [name, given] of Object.entries(resolvers)) {
    const field = fields[name]
    if (name === REFERENCE) type.extensions = { ...type.extensions, apollo: { subgraph: { resolveReference: given } } }
    else if (field === undefined) throw new Error(`The schema has no field ${type.name}.${name}.`)
    else Object.assign(field, typeof given === 'function' ? { resolve: given } : given)
  }
}
