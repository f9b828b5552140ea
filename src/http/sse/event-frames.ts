import { print, type ExecutionResult } from 'graphql-sse'
import type { OperationResult } from '../../graphql/operation-results.ts'

/**
 * The event of one answer. Its id is where the stream can be continued, so that a browser which comes back by itself names
 * it in Last-Event-ID.
 */
export function nextItem({ result, cursor }: OperationResult): string {
  const id = cursor === null ? '' : `id: ${cursor}\n`
  return id + print<false, 'next'>({ event: 'next', data: result as ExecutionResult })
}

/** The event of an end that is no interruption. */
export function completion(): string {
  return print({ event: 'complete', data: null })
}
