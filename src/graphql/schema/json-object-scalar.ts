import {
  GraphQLError,
  GraphQLScalarType,
  Kind,
  type ObjectValueNode,
  type ValueNode,
  valueFromASTUntyped,
} from 'graphql'

type Variables = Record<string, unknown> | null | undefined

/** A JSON object with any names and values. */
export const jsonObjectScalar = new GraphQLScalarType<object, object>({
  name: 'JSONObject',
  serialize: readObject,
  parseValue: readObject,
  parseLiteral: (node, variables) => (node.kind === Kind.OBJECT ? objectOf(node, variables) : readObject(null)),
})

function readObject(value: unknown): object {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw new GraphQLError('JSONObject must be an object.')
}

function objectOf(node: ObjectValueNode, variables: Variables): object {
  // Without a prototype, so that `__proto__` is an ordinary name.
  const object = Object.create(null) as Record<string, unknown>
  for (const { name, value } of node.fields) object[name.value] = valueOf(value, variables)
  return object
}

function valueOf(node: ValueNode, variables: Variables): unknown {
  if (node.kind === Kind.OBJECT) return objectOf(node, variables)
  if (node.kind === Kind.LIST) return node.values.map((value) => valueOf(value, variables))
  // JSON has no enum values.
  if (node.kind === Kind.ENUM) return undefined
  return valueFromASTUntyped(node, variables)
}
