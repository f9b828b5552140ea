import {
  GraphQLError,
  isUnionType,
  Kind,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
} from 'graphql'
import type { Context } from '../context.ts'
import { whenKnown } from '../models.ts'

/** The field names of each key of a type. A representation must contain one of the keys. */
type Keys = readonly (readonly string[])[]

/** Returns the object of a representation. */
type Resolve = (representation: Representation, context: Context, info: GraphQLResolveInfo) => unknown

/** An entity type: its name, its keys, and the resolver of its representations. */
type Entity = {
  readonly name: string
  readonly keys: Keys
  readonly resolve: Resolve
  /** Copies of frozen objects, frozen as well, so that values derived from them stay valid. */
  readonly copies: WeakMap<object, object>
}

type Representation = Readonly<Record<string, unknown>>

/**
 * Replaces the resolver of `_entities`, in place, and returns the schema. It resolves only representations with a type of this schema
 * and a key of strings. Any other representation is null at its position with its own error, and the others are resolved. The
 * resolver of @apollo/subgraph would reject the whole list because of one unknown type, pass keys of any type to the loaders, and
 * return a promise for objects that are available synchronously.
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

/** Returns a copy of the object with `__typename`, from which the executor gets its type; returns an error instead of throwing it. */
function resolved(entity: Entity, representation: Representation, context: Context, info: GraphQLResolveInfo): unknown {
  try {
    return whenKnown(entity.resolve(representation, context, info), (object) => named(entity, object))
  } catch (error) {
    return error
  }
}

function named({ name, copies }: Entity, object: unknown): unknown {
  if (typeof object !== 'object' || object === null) return object
  const known = copies.get(object)
  if (known !== undefined) return known
  const copy = { ...object, __typename: name }
  if (Object.isFrozen(object)) copies.set(object, Object.freeze(copy))
  return copy
}

function entityOf(type: GraphQLObjectType): Entity {
  const { subgraph } = (type.extensions['apollo'] ?? {}) as {
    readonly subgraph?: { readonly resolveReference?: Resolve }
  }
  const resolve = subgraph?.resolveReference
  if (resolve === undefined) throw new Error(`${type.name} has no way to be resolved as an entity.`)
  return { name: type.name, keys: keysOf(type), resolve, copies: new WeakMap() }
}

/** Returns the keys of a type from its `@key(fields: "id")` directives. The keys of this schema have no nested fields. */
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
