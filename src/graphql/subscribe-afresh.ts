import { createSourceEventStream, execute, GraphQLError, type ExecutionArgs, type ExecutionResult } from 'graphql'
import { refreshContext, type Context } from './context.ts'

/**
 * Subscribes, and answers each item with loaders of its own: what was read for one item is never served to the next.
 * A refused subscription gives its errors as a result. A `GraphQLError` that the source throws is the last answer, without
 * `data`. When the source itself fails, `onFailure` is called and the stream ends: the client is to come back, not to give up.
 * `onItem` is told of each item before it is answered.
 */
export async function subscribeAfresh(
  args: ExecutionArgs,
  onFailure: (error: unknown) => void,
  onItem: (item: unknown) => void = () => {},
): Promise<AsyncIterableIterator<ExecutionResult> | ExecutionResult> {
  const source = await createSourceEventStream(args)
  if (!isAsyncIterable(source)) return source
  const items = source[Symbol.asyncIterator]()
  const answer = async (item: unknown): Promise<ExecutionResult> =>
    execute({ ...args, rootValue: item, contextValue: refreshContext(args.contextValue as Context) })
  const end = async (): Promise<IteratorReturnResult<undefined>> => {
    await items.return?.()
    return { done: true, value: undefined }
  }
  const results: AsyncIterableIterator<ExecutionResult> = {
    next: async () => {
      try {
        const result = await items.next()
        if (result.done !== true) {
          onItem(result.value)
          return { done: false, value: await answer(result.value) }
        }
      } catch (error) {
        if (error instanceof GraphQLError) return { done: false, value: { errors: [error] } }
        onFailure(error)
      }
      return { done: true, value: undefined }
    },
    return: end,
    throw: end,
    [Symbol.asyncIterator]: () => results,
  }
  return results
}

function isAsyncIterable(value: AsyncIterable<unknown> | ExecutionResult): value is AsyncIterable<unknown> {
  return Symbol.asyncIterator in value
}
