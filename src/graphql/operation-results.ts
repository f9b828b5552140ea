import { OperationTypeNode, type ExecutionResult, type FormattedExecutionResult } from 'graphql'
import type { StreamItem } from '../live/stream-item.ts'
import type { PreparedOperation } from './admission/admission.ts'
import type { Context } from './context.ts'
import { executeInTime } from './deadline.ts'
import type { ErrorFormatter } from './errors.ts'
import { subscribeAfresh } from './subscribe-afresh.ts'

/** One answer of an operation, as a client sees it. */
export type OperationResult = {
  readonly result: FormattedExecutionResult
  /** Where a stream can be continued after this item; empty where it cannot, null for what is no item of a stream. */
  readonly cursor: string | null
}

/** The answers one by one. The next is not made before it is asked for; `return` ends them at once, also while one waits. */
export type OperationResults = {
  next(): Promise<IteratorResult<OperationResult, undefined>>
  return(): Promise<unknown>
}

export type ResultOptions = {
  readonly formatError: ErrorFormatter
  /** How long the answer to a query or a mutation may take, in milliseconds. */
  readonly timeoutMs: number
  /** Called when the source of a stream fails: it then ends, and the client is to come back. */
  readonly onFailure: (error: unknown) => void
}

/** Runs an admitted operation for the transports that are ours: many answers of a subscription, one of anything else. */
export async function operationResults(
  prepared: PreparedOperation,
  { formatError, timeoutMs, onFailure }: ResultOptions,
): Promise<OperationResults> {
  const shown = ({ data, errors }: ExecutionResult): FormattedExecutionResult => ({
    ...(errors === undefined ? {} : { errors: errors.map((error) => formatError(error.toJSON(), error)) }),
    ...(data === undefined ? {} : { data }),
  })
  if (prepared.operation.operation !== OperationTypeNode.SUBSCRIPTION)
    return only(shown(await executeInTime(prepared, timeoutMs)))

  let cursor: string | null = null
  const results = await subscribeAfresh(prepared, onFailure, (item) => {
    cursor = cursorOf(item, prepared.contextValue as Context)
  })
  if (!('next' in results)) return only(shown(results))
  return {
    async next() {
      const { value, done } = await results.next()
      if (done === true) return { done, value: undefined }
      return { done: false, value: { result: shown(value), cursor: 'data' in value ? cursor : null } }
    },
    return: async () => results.return?.(),
  }
}

/** Something that has already been answered. */
export function only(result: FormattedExecutionResult): OperationResults {
  let given = false
  return {
    async next() {
      if (given) return { done: true, value: undefined }
      given = true
      return { done: false, value: { result, cursor: null } }
    },
    return: async () => (given = true),
  }
}

/** The cursor of the item under a subscription's only field. Who has to read the state anew continues nothing. */
function cursorOf(root: unknown, { cursors }: Context): string {
  const [item] = Object.values(root as Record<string, StreamItem>)
  return item === undefined || item.kind === 'RESYNC_REQUIRED' ? '' : cursors.encode('log', item.position)
}
