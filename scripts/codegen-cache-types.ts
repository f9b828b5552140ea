/**
 * A plugin of GraphQL Code Generator: writes what normalised caches, such as those of Apollo Client and urql, need to know of the types of a
 * schema: the object types of each interface and union, the types whose key is not `id`, and the fields that are replaced as a whole.
 */
import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isAbstractType,
  isListType,
  isObjectType,
  print,
} from 'graphql'

/** Names of federation and introspection: `_Service`, `__Type`. */
const INTERNAL = /^_/

export function plugin(schema: GraphQLSchema): string {
  const types = Object.values(schema.getTypeMap()).filter(({ name }) => !INTERNAL.test(name))
  const possibleTypes = types
    .filter((type) => isAbstractType(type))
    .map((type): [string, string[]] => [type.name, schema.getPossibleTypes(type).map(({ name }) => name)])
  const roots = new Set([schema.getMutationType(), schema.getSubscriptionType()])
  const objects = types.filter((type) => isObjectType(type)).filter((type) => !roots.has(type))
  const others = objects.filter((type) => type !== schema.getQueryType() && type.getFields()['id'] === undefined)
  const replaced = objects
    .map((type): [string, string[]] => [type.name, replacedFields(type)])
    .filter(([, fields]) => fields.length > 0)
  return [
    '// Written by `npm run codegen`.',
    constant('possibleTypes', 'Record<string, string[]>', Object.fromEntries(possibleTypes)),
    constant('keyedByCode', 'readonly string[]', namesOf(others.filter(isKeyedByCode))),
    constant('withoutKey', 'readonly string[]', namesOf(others.filter((type) => !isKeyedByCode(type)))),
    constant('replacedFields', 'Readonly<Record<string, readonly string[]>>', Object.fromEntries(replaced)),
  ].join('\n\n')
}

/** Returns whether `code` is the key of an entity. */
function isKeyedByCode({ astNode }: GraphQLObjectType): boolean {
  return astNode?.directives?.some((directive) => print(directive) === '@key(fields: "code")') ?? false
}

/** Returns the fields with a list or with JSON, of which a cache can merge no two. */
function replacedFields(type: GraphQLObjectType): string[] {
  const isReplaced = ({ type: answers }: GraphQLField<unknown, unknown>) =>
    isListType(getNullableType(answers)) || getNamedType(answers).name === 'JSONObject'
  const fields = Object.values(type.getFields()).filter(({ name }) => !INTERNAL.test(name))
  return fields.filter(isReplaced).map(({ name }) => name)
}

function namesOf(types: readonly { readonly name: string }[]): string[] {
  return types.map(({ name }) => name)
}

function constant(name: string, type: string, value: unknown): string {
  return `export const ${name}: ${type} = ${JSON.stringify(value, null, 2)}`
}
