import type { Span } from '@opentelemetry/api'
import type { GraphQLFormattedError, OperationDefinitionNode } from 'graphql'

const MAX_NAME = 64

/** Names the span of an operation by its kind and name; neither the document nor the variables are recorded. */
export function describeSpan(span: Span | undefined, { operation, name }: OperationDefinitionNode): void {
  if (span === undefined) return
  const shown = name?.value.slice(0, MAX_NAME) ?? ''
  span.updateName(`${operation} ${shown}`.trimEnd()).setAttribute('graphql.operation.type', operation)
  if (shown !== '') span.setAttribute('graphql.operation.name', shown)
}

/** Records the codes of an operation's errors. */
export function recordErrors(span: Span | undefined, errors: readonly GraphQLFormattedError[]): void {
  if (errors.length === 0) return
  span?.setAttribute('graphql.error.codes', [...new Set(errors.map(({ extensions }) => String(extensions?.['code'])))])
}
