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
  { after: asked, otherwise, endsAt, ...what }: SourceOptions,
  context: Context,
): Source<Field> {
  const { store, tail, cursors, clock } = context
  const after = context.resumeAfter ?? asked
  const position = after == null ? null : cursors.decode('log', after)
  if (after != null && position === null) return named(field, forgedCursor(), () => {})
  const start: StreamStart = position === null ? otherwise : { kind: 'after', position }
  const allowed = () => clock().getTime() < endsAt
  const items = follow({ log: store.log, tail, start, allowed, ...what })
  // Also while it waits: nobody follows on with a right that is over.
  const cancel = callAt(
    endsAt,
    () => void items.return?.(),
    () => clock().getTime(),
  )
  return named(field, items, cancel)
}

/** The items under the field's name; `onEnd` is called however they end. */
function named<Field extends string>(
  field: Field,
  items: AsyncIterableIterator<StreamItem>,
  onEnd: () => void,
): Source<Field> {
  const end = async (): Promise<IteratorReturnResult<undefined>> => {
    onEnd()
    await items.return?.()
    return { done: true, value: undefined }
  }
  return {
    next: async () => {
      try {
        const result = await items.next()
        if (result.done !== true) return { done: false, value: { [field]: result.value } as Record<Field, StreamItem> }
      } catch (error) {
        onEnd()
        throw error
      }
      onEnd()
      return { done: true, value: undefined }
    },
    return: end,
    throw: end,
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
