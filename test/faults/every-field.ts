import {
  getNamedType,
  isAbstractType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
  type GraphQLNamedType,
  type GraphQLObjectType,
} from 'graphql'
import { createSchema } from '../../src/graphql/schema/schema.ts'

const schema = createSchema({ production: false })

/** Fields that lead to other records, or that call the payments API. */
const LEADS_AWAY = new Set(['link', 'events', 'method'])

/**
 * Returns a selection of every field of a type without required arguments, and of all fields below it. Throws if it is not an object type.
 */
export function everyField(typeName: string): string {
  const type = schema.getType(typeName)
  if (!isObjectType(type)) throw new Error(`${typeName} is no object of the schema.`)
  return fieldsOf(type, [])
}

/** `above`: the types that contain this one; a field that leads back to one of them is left out. */
function fieldsOf(type: GraphQLObjectType, above: readonly GraphQLNamedType[]): string {
  const types = [...above, type]
  return Object.values(type.getFields())
    .filter(({ name, args }) => !LEADS_AWAY.has(name) && !args.some(isRequiredArgument))
    .filter((field) => !types.includes(getNamedType(field.type)))
    .map(({ name, type: held }) => `${name}${selectionOf(getNamedType(held), types)}`)
    .join(' ')
}

function selectionOf(type: GraphQLNamedType, above: readonly GraphQLNamedType[]): string {
  if (isLeafType(type)) return ''
  if (isObjectType(type)) return ` { ${fieldsOf(type, above)} }`
  if (!isAbstractType(type)) throw new Error(`${type.name} cannot be selected.`)
  const parts = schema.getPossibleTypes(type).map((part) => `... on ${part.name} { ${fieldsOf(part, above)} }`)
  return ` { __typename ${parts.join(' ')} }`
}
