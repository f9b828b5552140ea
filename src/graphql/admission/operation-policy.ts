import { GraphQLError, OperationTypeNode, type OperationDefinitionNode } from 'graphql'
import type { OperationLimits } from '../../config.ts'
import { badArgument, routerOnly } from '../error-formatter.ts'
import type { Weight } from './field-cost.ts'
import type { Measures } from './measure-document.ts'

/** What an operation may do, whatever transport brought it. */
export type OperationPolicy = {
  readonly limits: OperationLimits
  /** Introspection is for development, and for the router. */
  readonly introspection: boolean
  /** The subgraph's own fields and introspection are for the router alone. */
  readonly routerOnly: boolean
  /** Errors tell no name of the schema that the client has not told first. */
  readonly hideNames: boolean
}

/** Deeper than the introspection that tools send, which follows a type through nine wrappers. */
const INTROSPECTION_DEPTH = 20

/** Refuses an operation for its size, before it is validated. Gives the refusal, or null. */
export function sizeRefusal(measures: Measures, limits: OperationLimits): GraphQLError | null {
  if (measures.depth > limits.depth) return beyond('depth', limits.depth)
  if (measures.introspectionDepth > INTROSPECTION_DEPTH) return beyond('introspection depth', INTROSPECTION_DEPTH)
  if (measures.rootFields > limits.rootFields) return beyond('root fields', limits.rootFields)
  if (measures.aliases > limits.aliases) return beyond('aliases', limits.aliases)
  return measures.directives > limits.directives ? beyond('directives', limits.directives) : null
}

/**
 * Refuses a stream that may have nothing to tell: GraphQL's own code throws where the field of a subscription is left out.
 * https://spec.graphql.org/September2025/#sec-Single-Root-Field
 */
export function streamRefusal({ operation }: OperationDefinitionNode, { conditional }: Measures): GraphQLError | null {
  if (operation !== OperationTypeNode.SUBSCRIPTION || !conditional) return null
  return new GraphQLError('The field of a subscription must not be left out by @skip or @include.', {
    extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
  })
}

/** Refuses an operation for what it asks for with the variables of this request. Gives the refusal, or null. */
export function weightRefusal({ page, entities, cost }: Weight, limits: OperationLimits): GraphQLError | null {
  if (page !== null && page.size > limits.page)
    return badArgument(page.argument, `must lie between 1 and ${limits.page}`)
  if (entities > limits.entities) return beyond('entities', limits.entities)
  return cost > limits.cost ? beyond('cost', limits.cost) : null
}

/** Refuses the router's own fields, and introspection, to everyone else. Gives the refusal, or null. */
export function accessRefusal(
  { forRouter, introspectionDepth }: Measures,
  policy: OperationPolicy,
  fromRouter: boolean,
): GraphQLError | null {
  if (policy.routerOnly) return fromRouter || !forRouter ? null : routerOnly()
  if (policy.introspection || introspectionDepth === 0) return null
  return new GraphQLError('GraphQL introspection is turned off.', { extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } })
}

/** The operation is larger than one of the limits. `maximum` is in the limit's own unit. */
export function beyond(limit: string, maximum: number): GraphQLError {
  return new GraphQLError(`The operation goes beyond the limit for ${limit}, which is ${maximum}.`, {
    extensions: { code: 'OPERATION_LIMIT_EXCEEDED', limit, maximum },
  })
}
