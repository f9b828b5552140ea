import { GraphQLError, OperationTypeNode, type OperationDefinitionNode } from 'graphql'
import type { OperationLimits } from '../../config.ts'
import { badArgument, routerOnly } from '../error-formatter.ts'
import type { Weight } from './field-cost.ts'
import type { Measures } from './measure-document.ts'

/** The rules for operations, equal for all transports. */
export type OperationPolicy = {
  readonly limits: OperationLimits
  /** Introspection is allowed (in development). Not used if `routerOnly`. */
  readonly introspection: boolean
  /** `_service`, `_entities` and introspection require the router's secret; without this, `_service` and `_entities` are open. */
  readonly routerOnly: boolean
  /** Error messages contain no schema name that the client has not sent itself. */
  readonly hideNames: boolean
}

/** More than the depth of the introspection queries of tools, which follow a type through nine wrappers. */
const INTROSPECTION_DEPTH = 20

/** Returns the error if an operation is too large, otherwise null. Called before validation. */
export function sizeRefusal(measures: Measures, limits: OperationLimits): GraphQLError | null {
  if (measures.depth > limits.depth) return beyond('depth', limits.depth)
  if (measures.introspectionDepth > INTROSPECTION_DEPTH) return beyond('introspection depth', INTROSPECTION_DEPTH)
  if (measures.rootFields > limits.rootFields) return beyond('root fields', limits.rootFields)
  if (measures.aliases > limits.aliases) return beyond('aliases', limits.aliases)
  return measures.directives > limits.directives ? beyond('directives', limits.directives) : null
}

/**
 * Returns the error if the root field of a subscription may be skipped, otherwise null: graphql-js throws if it is skipped.
 * https://spec.graphql.org/September2025/#sec-Single-Root-Field
 */
export function streamRefusal({ operation }: OperationDefinitionNode, { conditional }: Measures): GraphQLError | null {
  if (operation !== OperationTypeNode.SUBSCRIPTION || !conditional) return null
  return new GraphQLError('The field of a subscription must not be left out by @skip or @include.', {
    extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
  })
}

/**
 * Returns the error if pages, entities or cost exceed a limit with the variables of this request, otherwise null. With the router's
 * secret, the cost of `_entities` is compared with a limit of its own.
 */
export function weightRefusal(
  { page, entities, cost, entityCost }: Weight,
  limits: OperationLimits,
  hasSecret: boolean,
): GraphQLError | null {
  if (page !== null && page.size > limits.page)
    return badArgument(page.argument, `must lie between 1 and ${limits.page}`)
  const maxEntities = hasSecret ? limits.router.entities : limits.entities
  if (entities > maxEntities) return beyond('entities', maxEntities)
  if (hasSecret && entityCost > limits.router.cost) return beyond('cost of entities', limits.router.cost)
  return cost + (hasSecret ? 0 : entityCost) > limits.cost ? beyond('cost', limits.cost) : null
}

/** Returns the error if the policy forbids the operation's introspection or router fields to this client, otherwise null. */
export function accessRefusal(
  { forRouter, introspectionDepth }: Measures,
  policy: OperationPolicy,
  fromRouter: boolean,
): GraphQLError | null {
  if (policy.routerOnly) return fromRouter || !forRouter ? null : routerOnly()
  if (policy.introspection || introspectionDepth === 0) return null
  return new GraphQLError('GraphQL introspection is turned off.', { extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } })
}

/** Creates the error of an operation that exceeds a limit. `maximum` is in the limit's own unit. */
export function beyond(limit: string, maximum: number): GraphQLError {
  return new GraphQLError(`The operation goes beyond the limit for ${limit}, which is ${maximum}.`, {
    extensions: { code: 'OPERATION_LIMIT_EXCEEDED', limit, maximum },
  })
}
