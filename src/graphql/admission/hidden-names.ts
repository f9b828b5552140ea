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

/** Words of graphql-js messages that may also be schema names. They are hidden only after one of `" [ . $ (`, which marks a name. */
const PLAIN_WORDS: ReadonlySet<string> = new Set(
  `a an and are argument at available be body by can cannot client code conflict description different directive each enum
  event events field fields first fragment from has id index input integer is it items key kind kinds last length limit
  list locale max maximum message min missing must name names no node nodes not object of on one only operation or other
  position query reason reference request required response same scalar scopes sequence server service source status
  string subscription text there this to token type types unavailable unique url value values variable variables was with
  Subscription Query Mutation String Boolean Int Float ID VARIABLE INPUT`.split(/\s+/),
)

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
      return before === '' && PLAIN_WORDS.has(name) ? whole : `${before}${HIDDEN}`
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
