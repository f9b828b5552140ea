import { createSourceEventStream, GraphQLError, type ExecutionArgs, type ExecutionResult } from 'graphql'
import type { StreamItem } from '../../live/stream-item.ts'
import type { Logger } from '../../log.ts'
import { refreshContext, type Context } from '../context.ts'
import { type AnswerStream, type StreamAnswer, StreamInterrupted } from './outcome.ts'

export type SubscribeOptions = {
  /** The response to an item as a client sees it, as JSON. */
  readonly answer: (item: unknown, context: Context) => Promise<string>
  /** The response that is an error alone. */
  readonly refuse: (error: GraphQLError) => string
  readonly logger: Logger
}

/**
 * Subscribes, and answers each item with loaders of its own: what was read for one item is never served to the next. Returns the
 * result when the subscription is refused. A `GraphQLError` that the source throws is the last answer, without `data`.
 */
export async function subscribe(
  args: ExecutionArgs & { readonly contextValue: Context },
  { answer, refuse, logger }: SubscribeOptions,
): Promise<AnswerStream | ExecutionResult> {
  const { contextValue: context } = args
  const source = await createSourceEventStream(args)
  if (!isAsyncIterable(source)) return source
  const items = source[Symbol.asyncIterator]()
  const answered = async (item: Readonly<Record<string, StreamItem>>): Promise<StreamAnswer> => ({
    json: await answer(item, refreshContext(context)),
    cursor: cursorOf(item, context),
  })
  return {
    kind: 'stream',
    async next() {
      try {
        const { value, done } = await items.next()
        if (done === true) return { done, value: undefined }
        return { done: false, value: await answered(value as Readonly<Record<string, StreamItem>>) }
      } catch (error) {
        if (error instanceof GraphQLError) return { done: false, value: { json: refuse(error), cursor: null } }
        logger.error({ err: error }, 'the source of a stream failed')
        throw new StreamInterrupted()
      }
    },
    async return() {
      await items.return?.()
      return { done: true, value: undefined }
    },
  }
}

function isAsyncIterable(value: AsyncIterable<unknown> | ExecutionResult): value is AsyncIterable<unknown> {
  return Symbol.asyncIterator in value
}

/** The cursor of the item under a subscription's only field. Who has to read the state anew continues nothing. */
function cursorOf(root: Readonly<Record<string, StreamItem>>, { cursors }: Context): string {
  const [item] = Object.values(root)
  return item === undefined || item.kind === 'RESYNC_REQUIRED' ? '' : cursors.encode('log', item.position)
}
