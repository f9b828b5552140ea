import {
  defaultFieldResolver,
  getDirectiveValues,
  isInterfaceType,
  isObjectType,
  type GraphQLDirective,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
} from 'graphql'
import { isScope, type Scope } from '../../access/scopes.ts'
import type { Context } from '../context.ts'
import { demandScopes, type ScopeRule } from '../rights/demand-scopes.ts'

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
