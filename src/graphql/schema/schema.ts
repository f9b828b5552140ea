import { buildSubgraphSchema } from '@apollo/subgraph'
import {
  isObjectType,
  type GraphQLSchema,
  defaultFieldResolver,
  getDirectiveValues,
  isInterfaceType,
  type GraphQLDirective,
  type GraphQLField,
  type GraphQLNamedType,
  parse,
  print,
  visit,
  type ASTNode,
  type NameNode,
  GraphQLError,
  isUnionType,
  Kind,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
} from 'graphql'
import { isScope, type Scope } from '../../access/caller.ts'
import type { Context } from '../context.ts'
import { whenKnown } from '../models.ts'
import { resolvers } from '../resolvers/index.ts'
import { demandScopes, type ScopeRule } from '../rights/rights.ts'
import { createScalars } from './scalars.ts'
import { readSchemaDocument } from './schema-document.ts'
import { extensionModule, type ResolverMap, type SchemaExtension } from './schema-extension.ts'

type SchemaOptions = {
  readonly production: boolean
  readonly extension?: SchemaExtension | null
  /** Whether `_service { sdl }` contains `@requiresScopes`. It is enforced in any case. Default true. */
  readonly sdlScopes?: boolean
}

/** Creates the subgraph's executable schema from schema.graphql and the resolvers, and enforces the scopes that it requires. */
export function createSchema({ production, sdlScopes = true, extension = null }: SchemaOptions): GraphQLSchema {
  const everything = { ...resolvers, ...createScalars({ production }) } as ResolverMap
  const typeDefs = readSchemaDocument()
  const modules = [
    { typeDefs, resolvers: everything },
    ...(extension === null ? [] : [extensionModule(extension, typeDefs)]),
  ]
  const schema = checkRepresentations(enforceScopes(beginEachMutation(buildSubgraphSchema(modules))))
  return sdlScopes ? schema : printWithoutScopes(schema)
}

/** Begins the answer to each mutation anew, in place, so that it shows nothing that was read for the mutation before it. */
function beginEachMutation(schema: GraphQLSchema): GraphQLSchema {
  for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) {
    const { resolve = defaultFieldResolver } = field
    field.resolve = (parent, args, context: Context, info) => {
      context.begin()
      return resolve(parent, args, context, info)
    }
  }
  return schema
}

/** Replaces the resolver of `_service { sdl }`, in place, by one that omits `@requiresScopes`, and returns the schema. */
function printWithoutScopes(schema: GraphQLSchema): GraphQLSchema {
  const type = schema.getType('_Service')
  const field = isObjectType(type) ? type.getFields()['sdl'] : undefined
  if (field === undefined) throw new Error('The schema does not print itself.')
  let printed: string | null = null
  field.resolve = ({ sdl }: { readonly sdl: string }) => (printed ??= withoutScopes(sdl))
  return schema
}

const REQUIRES_SCOPES = /(?:^|__)requiresScopes$/
const AUTHENTICATED = /(?:^|__)authenticated$/

/**
 * Enforces the schema's `@requiresScopes` directives: such a field rejects callers whose token lacks the scopes. This covers queries,
 * mutations, subscriptions and entities, over every transport. Changes the resolvers in place and returns the schema. Throws if the
 * schema uses a directive where it is not enforced, or an unknown scope.
 */
export function enforceScopes(schema: GraphQLSchema): GraphQLSchema {
  const directive = schema.getDirectives().find((candidate) => REQUIRES_SCOPES.test(candidate.name))
  if (directive === undefined) throw new Error('The schema does not import @requiresScopes.')
  for (const type of Object.values(schema.getTypeMap())) {
    refuseUnheld(type)
    if (!isObjectType(type)) continue
    for (const field of Object.values(type.getFields())) {
      const rule = ruleOf(field, directive)
      if (rule !== null) guard(field, `${type.name}.${field.name}`, rule)
    }
  }
  return schema
}

/** Throws if a type has an authorization directive that is not enforced, because readers would rely on it without protection. */
function refuseUnheld(type: GraphQLNamedType): void {
  const fields = isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : []
  const onType = namesOn(type).find((name) => REQUIRES_SCOPES.test(name) || AUTHENTICATED.test(name))
  const onField = fields
    .flatMap(namesOn)
    .find((name) => AUTHENTICATED.test(name) || (REQUIRES_SCOPES.test(name) && !isObjectType(type)))
  const unheld = onType ?? onField
  if (unheld !== undefined) throw new Error(`The schema asks for @${unheld} at ${type.name}, where it is not held.`)
}

function namesOn({ astNode }: GraphQLNamedType | GraphQLField<unknown, unknown>): string[] {
  return astNode?.directives?.map(({ name }) => name.value) ?? []
}

function ruleOf(field: GraphQLField<unknown, Context>, directive: GraphQLDirective): ScopeRule | null {
  if (field.astNode === undefined || field.astNode === null) return null
  const scopes = getDirectiveValues(directive, field.astNode)?.['scopes'] as readonly (readonly string[])[] | undefined
  return scopes?.map((all) => all.map(known)) ?? null
}

/** Returns the scope. Throws if it is unknown, because a misspelt scope would lock the field for all callers. */
function known(scope: string): Scope {
  if (isScope(scope)) return scope
  throw new Error(`The schema asks for a scope that does not exist: ${scope}`)
}

function guard(field: GraphQLField<unknown, Context>, name: string, rule: ScopeRule): void {
  const { resolve = defaultFieldResolver, subscribe } = field
  const check = ({ caller }: Pick<Context, 'caller'>) => demandScopes(caller, name, rule)
  if (subscribe !== undefined) {
    field.subscribe = (parent, args, context, info) => {
      check(context)
      return subscribe(parent, args, context, info)
    }
    return
  }
  field.resolve = (parent, args, context, info) => {
    check(context)
    return resolve(parent, args, context, info)
  }
}

const DIRECTIVE = 'requiresScopes'

/**
 * Returns the SDL of a subgraph without `@requiresScopes`, for gateways that refuse every supergraph with it, such as @apollo/gateway. The
 * subgraph enforces the scopes itself in any case.
 */
export function withoutScopes(sdl: string): string {
  const remove = ({ name }: { readonly name: NameNode }) => (name.value === DIRECTIVE ? null : undefined)
  return print(
    visit(parse(sdl), {
      Directive: remove,
      DirectiveDefinition: remove,
      // In the list of imports of `@link`.
      StringValue: ({ value, block }, _key, parent) =>
        value === `@${DIRECTIVE}` && block !== true && isList(parent) ? null : undefined,
    }),
  )
}

function isList(parent: ASTNode | readonly ASTNode[] | undefined): boolean {
  return Array.isArray(parent)
}

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
 * and a complete key. Any other representation is null at its position with its own error, and the others are resolved. The
 * resolver of @apollo/subgraph would reject the whole list because of one unknown type, pass keys of any type to the loaders, and
 * return a promise for objects that are available synchronously.
 */
function checkRepresentations(schema: GraphQLSchema): GraphQLSchema {
  const field = schema.getQueryType()?.getFields()['_entities']
  const union = schema.getType('_Entity')
  if (field === undefined || !isUnionType(union)) throw new Error('The schema does not have entities.')
  const own = union.getTypes().filter((type) => keysOf(type).length > 0)
  const entities = new Map(own.map((type) => [type.name, entityOf(type)]))

  field.resolve = (_parent, args: { representations: readonly unknown[] }, context: Context, info) =>
    args.representations.map((representation) => {
      const entity = isRepresentation(representation) ? entities.get(representation.__typename) : undefined
      const keys = entity === undefined ? null : keysIn(representation as Representation, entity.keys)
      return entity === undefined || keys === null ? unsound() : resolved(entity, keys, context, info)
    })
  return schema
}

function isRepresentation(value: unknown): value is { readonly __typename: string } {
  return typeof value === 'object' && value !== null && typeof (value as Representation)['__typename'] === 'string'
}

/**
 * Returns the fields of a representation that are part of a key, as an `ID` reads them: an integer is text, and null is absent, because a router
 * that does not know one of two keys may send it so. Null if no key is complete, or a field is anything else.
 */
function keysIn(given: Representation, keys: Keys): Representation | null {
  const found: Record<string, string> = {}
  for (const name of new Set(keys.flat())) {
    const value = Object.hasOwn(given, name) ? (given[name] ?? null) : null
    if (value === null) continue
    if (typeof value !== 'string' && (typeof value !== 'number' || !Number.isSafeInteger(value))) return null
    found[name] = String(value)
  }
  return keys.some((key) => key.every((name) => Object.hasOwn(found, name))) ? found : null
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
  const made = copies.get(object)
  if (made !== undefined) return made
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

/** Returns the keys by which this subgraph resolves a type, from its `@key(fields: "id")` directives. The keys of this schema have no nested fields. */
function keysOf(type: GraphQLObjectType): Keys {
  const directives = type.astNode?.directives?.filter(({ name }) => /(?:^|__)key$/.test(name.value)) ?? []
  return directives.flatMap(({ arguments: given = [] }) => {
    const valueOf = (argument: string) => given.find(({ name }) => name.value === argument)?.value
    const [fields, resolvable] = [valueOf('fields'), valueOf('resolvable')]
    if (resolvable?.kind === Kind.BOOLEAN && !resolvable.value) return []
    return [fields?.kind === Kind.STRING ? fields.value.trim().split(/\s+/) : []]
  })
}

function unsound(): GraphQLError {
  return new GraphQLError('A representation names nothing by a key of this subgraph.', {
    extensions: { code: 'BAD_USER_INPUT', argument: 'representations' },
  })
}
