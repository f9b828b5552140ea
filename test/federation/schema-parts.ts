import {
  getNamedType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isUnionType,
  Kind,
  isTypeDefinitionNode,
  type ConstDirectiveNode,
  type DocumentNode,
  type GraphQLNamedType,
  type GraphQLSchema,
} from 'graphql'

/**
 * Returns the coordinates of every field, argument and input field that an operation can reach, sorted: `Payment.status`,
 * `Query.payment(id:)`. Unreachable ones are left out: one composer keeps them, the other does not.
 */
export function coordinatesOf(schema: GraphQLSchema): string[] {
  const names = [...reachableTypes(schema)].flatMap((name) => {
    const type = schema.getType(name)
    if (isInputObjectType(type)) return Object.keys(type.getFields()).map((field) => `${name}.${field}`)
    if (!isObjectType(type) && !isInterfaceType(type)) return []
    return Object.values(type.getFields()).flatMap((field) => {
      const coordinate = `${name}.${field.name}`
      return [coordinate].concat(field.args.map((argument) => `${coordinate}(${argument.name}:)`))
    })
  })
  return names.sort()
}

/** Returns the names of the types that are reachable from the root types, including these. */
export function reachableTypes(schema: GraphQLSchema): Set<string> {
  const seen = new Set<string>()
  const reach = (type: GraphQLNamedType): void => {
    if (seen.has(type.name)) return
    seen.add(type.name)
    for (const next of leadsTo(type)) reach(next)
  }
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]
  for (const root of roots) if (root !== undefined && root !== null) reach(root)
  return seen
}

/** Returns the tags of types and fields by coordinate, as the document writes them. */
export function tagsOf(document: DocumentNode): Record<string, readonly string[]> {
  const tags: Record<string, readonly string[]> = {}
  eachDirective(document, 'tag', (coordinate, directive) => {
    const value = directive.arguments?.[0]?.value
    if (value?.kind === Kind.STRING) tags[coordinate] = [...(tags[coordinate] ?? []), value.value]
  })
  return tags
}

/** Returns the coordinates of the fields that require scopes. */
export function scopedFields(document: DocumentNode): string[] {
  const fields: string[] = []
  eachDirective(document, 'requiresScopes', (coordinate) => fields.push(coordinate))
  return fields
}

function leadsTo(type: GraphQLNamedType): GraphQLNamedType[] {
  if (isUnionType(type)) return [...type.getTypes()]
  if (isInputObjectType(type)) return Object.values(type.getFields()).map((field) => getNamedType(field.type))
  if (!isObjectType(type) && !isInterfaceType(type)) return []
  const fields = Object.values(type.getFields())
  return [
    ...type.getInterfaces(),
    ...fields.map((field) => getNamedType(field.type)),
    ...fields.flatMap((field) => field.args.map((argument) => getNamedType(argument.type))),
  ]
}

function eachDirective(
  document: DocumentNode,
  name: string,
  take: (coordinate: string, directive: ConstDirectiveNode) => void,
): void {
  const takeFrom = (
    coordinate: string,
    { directives = [] }: { directives?: readonly ConstDirectiveNode[] | undefined },
  ) => {
    for (const directive of directives) if (directive.name.value === name) take(coordinate, directive)
  }
  for (const definition of document.definitions) {
    if (!isTypeDefinitionNode(definition)) continue
    takeFrom(definition.name.value, definition)
    if (!('fields' in definition)) continue
    for (const field of definition.fields ?? []) takeFrom(`${definition.name.value}.${field.name.value}`, field)
  }
}
