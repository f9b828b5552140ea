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
import { expired, hasScope } from '../../access/caller.ts'
import { isScope, type Scope } from '../../access/scopes.ts'
import type { Context } from '../context.ts'
import { forbidden, unauthenticated } from '../error-formatter.ts'

/** Any of the inner lists suffices; all scopes of an inner list are needed. */
type ScopeRule = readonly (readonly Scope[])[]

const REQUIRES_SCOPES = /(?:^|__)requiresScopes$/
const AUTHENTICATED = /(?:^|__)authenticated$/

/**
 * Holds the schema's own `@requiresScopes` directives: the fields that carry one answer only callers whose token does too.
 * One source of truth for queries, mutations, subscriptions and entities, over every transport. Changes the schema's
 * resolvers in place and gives it back.
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

/** A directive that nothing here holds would be believed, and shut nothing: better to refuse to start. */
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

/** A misspelt scope would shut a field for everyone: better to refuse to start. */
function known(scope: string): Scope {
  if (isScope(scope)) return scope
  throw new Error(`The schema asks for a scope that does not exist: ${scope}`)
}

function guard(field: GraphQLField<unknown, Context>, name: string, rule: ScopeRule): void {
  const { resolve = defaultFieldResolver, subscribe } = field
  const check = ({ caller }: Pick<Context, 'caller'>) => {
    // A socket outlives its token for as long as its client does not let it close. By the clock that tokens are verified by.
    if (caller.kind === 'anonymous' || expired(caller, Date.now())) throw unauthenticated()
    if (!rule.some((scopes) => scopes.every((scope) => hasScope(caller, scope)))) throw forbidden(name)
  }
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
