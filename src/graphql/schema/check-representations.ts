import { GraphQLError, isUnionType, Kind, type GraphQLObjectType, type GraphQLSchema } from 'graphql'
import type { Context } from '../context.ts'

/** The names of the fields of each key of a type; one of the keys suffices. */
type Keys = readonly (readonly string[])[]

/**
 * Sees to it that `_entities` looks up only what is named by a type of ours and a key of texts. Anything else is null at
 * its place with an error of its own, and what is asked for beside it is answered; the library would refuse the whole list
 * for one unknown type, and hand a key of any shape to the loaders. Changes the schema's resolver in place and gives it
 * back.
 */
export function checkRepresentations(schema: GraphQLSchema): GraphQLSchema {
  const field = schema.getQueryType()?.getFields()['_entities']
  const union = schema.getType('_Entity')
  const resolve = field?.resolve
  if (field === undefined || resolve === undefined || !isUnionType(union))
    throw new Error('The schema does not have entities.')
  const keysByType = new Map(union.getTypes().map((type) => [type.name, keysOf(type)]))

  field.resolve = (parent, args: { representations: readonly unknown[] }, context: Context, info) => {
    const sound = args.representations.map((representation) => isSound(representation, keysByType))
    const asked = args.representations.filter((_representation, index) => sound[index])
    const loaded = (resolve(parent, { representations: asked }, context, info) as unknown[]).values()
    return sound.map((isAsked) => (isAsked ? loaded.next().value : unsound()))
  }
  return schema
}

function isSound(representation: unknown, keysByType: ReadonlyMap<string, Keys>): boolean {
  if (representation === null || typeof representation !== 'object') return false
  const given = representation as Readonly<Record<string, unknown>>
  const keys = typeof given['__typename'] === 'string' ? keysByType.get(given['__typename']) : undefined
  if (keys === undefined) return false
  const isText = (name: string) => typeof given[name] === 'string'
  const named = keys.flat().filter((name) => Object.hasOwn(given, name))
  return named.every(isText) && keys.some((key) => key.every(isText))
}

/** The keys by which the contract names a type: `@key(fields: "id")`, once or more. Ours have no fields within fields. */
function keysOf(type: GraphQLObjectType): Keys {
  const directives = type.astNode?.directives?.filter(({ name }) => /(?:^|__)key$/.test(name.value)) ?? []
  return directives.map((directive) => {
    const fields = directive.arguments?.find(({ name }) => name.value === 'fields')?.value
    return fields?.kind === Kind.STRING ? fields.value.trim().split(/\s+/) : []
  })
}

function unsound(): GraphQLError {
  return new GraphQLError('A representation names nothing by a key of this subgraph.', {
    extensions: { code: 'BAD_USER_INPUT', argument: 'representations' },
  })
}
