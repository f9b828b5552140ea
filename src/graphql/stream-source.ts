import { callAt } from '../live/call-at.ts'
import { follow, type FollowOptions } from '../live/follow.ts'
import type { StreamItem, StreamStart } from '../live/stream-item.ts'
import type { Context } from './context.ts'

/** What a subscription's source gives: the root value under the field's own name. */
export type Source<Field extends string> = AsyncIterableIterator<Record<Field, StreamItem>>

type SourceOptions = Pick<FollowOptions, 'streamId' | 'matches' | 'filter'> & {
  readonly after: string | null | undefined
  /** Where to begin when there is no cursor. */
  readonly otherwise: StreamStart
  /** When the right to follow ends, in milliseconds since the epoch. */
  readonly endsAt: number
}

/**
 * A stream as a subscription's source. A cursor that cannot be continued from gives RESYNC_REQUIRED and ends the stream:
 * the client then knows that it has to read the state again.
 */
export function streamSource<Field extends string>(
  field: Field,
  { after, otherwise, endsAt, ...what }: SourceOptions,
  context: Context,
): Source<Field> {
  const { store, tail, cursors, clock } = context
  const position = after == null ? null : cursors.decode('log', after)
  if (after != null && position === null) return named(field, forgedCursor())
  const start: StreamStart = position === null ? otherwise : { kind: 'after', position }
  const allowed = () => clock().getTime() < endsAt
  return named(field, endingAt(endsAt, follow({ log: store.log, tail, start, allowed, ...what }), clock))
}

/** Ends a stream at an instant, also while it waits: nobody follows on with a right that is over. */
function endingAt(
  instant: number,
  items: AsyncIterableIterator<StreamItem>,
  clock: () => Date,
): AsyncIterableIterator<StreamItem> {
  const cancel = callAt(
    instant,
    () => void items.return?.(),
    () => clock().getTime(),
  )
  return {
    next: async () => {
      const result = await items.next()
      if (result.done === true) cancel()
      return result
    },
    return: async () => {
      cancel()
      await items.return?.()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

function named<Field extends string>(field: Field, items: AsyncIterableIterator<StreamItem>): Source<Field> {
  const wrap = (result: IteratorResult<StreamItem>): IteratorResult<Record<Field, StreamItem>> =>
    result.done === true
      ? { done: true, value: undefined }
      : { done: false, value: { [field]: result.value } as Record<Field, StreamItem> }
  return {
    next: async () => wrap(await items.next()),
    return: async () => {
      await items.return?.()
      return { done: true, value: undefined }
    },
    throw: async (error) => {
      await items.return?.()
      throw error
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

async function* forgedCursor(): AsyncGenerator<StreamItem, undefined> {
  yield {
    kind: 'RESYNC_REQUIRED',
    position: 0,
    previous: null,
    reason: 'The cursor is not one of this log.',
  }
}
