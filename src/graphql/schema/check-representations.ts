import {
  GraphQLError,
  isUnionType,
  Kind,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
} from 'graphql'
import type { Context } from '../context.ts'
import { whenKnown } from '../when-known.ts'

/** The names of the fields of each key of a type; one of the keys suffices. */
type Keys = readonly (readonly string[])[]

/** Looks up the object that a representation stands for. */
type Resolve = (representation: Representation, context: Context, info: GraphQLResolveInfo) => unknown

/** How the representations of a type are resolved. */
type Entity = { readonly name: string; readonly keys: Keys; readonly resolve: Resolve }

type Representation = Readonly<Record<string, unknown>>

/**
 * Has `_entities` look up only what is named by a type of ours and a key of texts. Anything else is null at its place with an
 * error of its own, and what is asked for beside it is answered; the library would refuse the whole list for one unknown type,
 * hand a key of any shape to the loaders, and wait for objects that are there already. Changes the schema's resolver in place and
 * gives it back.
 */
export function checkRepresentations(schema: GraphQLSchema): GraphQLSchema {
  const field = schema.getQueryType()?.getFields()['_entities']
  const union = schema.getType('_Entity')
  if (field === undefined || !isUnionType(union)) throw new Error('The schema does not have entities.')
  const entities = new Map(union.getTypes().map((type) => [type.name, entityOf(type)]))

  field.resolve = (_parent, args: { representations: readonly unknown[] }, context: Context, info) =>
    args.representations.map((representation) => {
      const entity = isRepresentation(representation) ? entities.get(representation.__typename) : undefined
      if (entity === undefined || !isSound(representation as Representation, entity.keys)) return unsound()
      return resolved(entity, representation as Representation, context, info)
    })
  return schema
}

function isRepresentation(value: unknown): value is { readonly __typename: string } {
  return typeof value === 'object' && value !== null && typeof (value as Representation)['__typename'] === 'string'
}

function isSound(given: Representation, keys: Keys): boolean {
  let isNamed = false
  for (const key of keys) {
    for (const name of key) if (Object.hasOwn(given, name) && typeof given[name] !== 'string') return false
    isNamed ||= key.every((name) => typeof given[name] === 'string')
  }
  return isNamed
}

/** A copy of the object with the name of its type, by which the executor tells entities apart; an error at its place. */
function resolved(entity: Entity, representation: Representation, context: Context, info: GraphQLResolveInfo): unknown {
  const named = (object: unknown) =>
    typeof object === 'object' && object !== null ? { ...object, __typename: entity.name } : object
  try {
    return whenKnown(entity.resolve(representation, context, info), named)
  } catch (error) {
    return error
  }
}

function entityOf(type: GraphQLObjectType): Entity {
  const { subgraph } = (type.extensions['apollo'] ?? {}) as {
    readonly subgraph?: { readonly resolveReference?: Resolve }
  }
  const resolve = subgraph?.resolveReference
  if (resolve === undefined) throw new Error(`${type.name} has no way to be resolved as an entity.`)
  return { name: type.name, keys: keysOf(type), resolve }
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
