/**
 * A plugin of GraphQL Code Generator: writes the object types of each interface and union, as caches such as that of Apollo Client need them
 * for fragments.
 */
import { type GraphQLSchema, isAbstractType } from 'graphql'

export function plugin(schema: GraphQLSchema): string {
  const abstract = Object.values(schema.getTypeMap()).filter((type) => isAbstractType(type))
  const possibleTypes = abstract.map((type) => [type.name, schema.getPossibleTypes(type).map(({ name }) => name)])
  return JSON.stringify(Object.fromEntries(possibleTypes), null, 2)
}
