import type { ApolloServerPlugin } from '@apollo/server'
import type { Tracing } from '../tracing/tracing.ts'
import type { Context } from './context.ts'

const MAX_NAME = 64

/** Names the span of an operation by its kind and name, and tells the codes of its errors; neither documents nor variables. */
export function traceOperations(tracing: Tracing): ApolloServerPlugin<Context> {
  return {
    requestDidStart: async () => {
      const span = tracing.current
      if (span === undefined) return undefined
      return {
        didResolveOperation: async ({ operation, operationName }) => {
          const kind = operation?.operation ?? 'unknown'
          const name = operationName?.slice(0, MAX_NAME) ?? ''
          span.updateName(`${kind} ${name}`.trimEnd()).setAttribute('graphql.operation.type', kind)
          if (name !== '') span.setAttribute('graphql.operation.name', name)
        },
        didEncounterErrors: async ({ errors }) => {
          const codes = errors.map(({ extensions }) => extensions['code'] ?? 'INTERNAL_SERVER_ERROR')
          span.setAttribute('graphql.error.codes', [...new Set(codes)].map(String))
        },
      }
    },
  }
}
