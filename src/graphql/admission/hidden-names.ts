import {
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
  type GraphQLNamedType,
  type GraphQLSchema,
} from 'graphql'

/** Returns a message with each schema name replaced by `…`, unless the name occurs in `told()`, which is the client's own text. */
export type HideNames = (message: string, told: () => string) => string

const NAME = /(["[.$(]?)([A-Za-z_]\w*)/g
const WORD = /[A-Za-z_]\w*/g
const HIDDEN = '…'

/**
 * Words that are kept although they may be schema names, unless one of `" [ . $ (` before them marks a name, as in all messages of graphql-js:
 * words of plain English, of which sentences consist, and what GraphQL itself defines.
 */
const PLAIN_WORD = /^([a-z]+|Subscription|Query|Mutation|String|Boolean|Int|Float|ID|VARIABLE|INPUT)$/

/** Creates the function for a schema. Built-in scalars and introspection types are public and are not hidden. */
export function createHideNames(schema: GraphQLSchema): HideNames {
  const names = new Set(
    Object.values(schema.getTypeMap())
      .filter((type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type))
      .flatMap(namesOf),
  )
  return (message, told) => {
    let known: ReadonlySet<string> | null = null
    return message.replace(NAME, (whole, before: string, name: string) => {
      if (!names.has(name)) return whole
      known ??= new Set(told().match(WORD))
      if (known.has(name)) return whole
      return before === '' && PLAIN_WORD.test(name) ? whole : `${before}${HIDDEN}`
    })
  }
}

function namesOf(type: GraphQLNamedType): string[] {
  const names = [type.name]
  if (isInputObjectType(type)) names.push(...Object.keys(type.getFields()))
  if (isEnumType(type)) names.push(...type.getValues().map((value) => value.name))
  if (!isObjectType(type) && !isInterfaceType(type)) return names
  for (const field of Object.values(type.getFields()))
    names.push(field.name, ...field.args.map((argument) => argument.name))
  return names
}
