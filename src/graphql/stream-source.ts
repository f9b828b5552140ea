import { GraphQLError } from 'graphql'
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
  /** Whose streams of this link or payment are counted together; null where the caller's scopes give the right. */
  readonly payer: string | null
}

/**
 * A stream as a subscription's source. A cursor that cannot be continued from gives RESYNC_REQUIRED and ends the stream:
 * the client then knows that it has to read the state again. Throws a `GraphQLError` when the caller has too many streams; a
 * stream that makes room for a newer one of its payer ends with such an error.
 */
export function streamSource<Field extends string>(
  field: Field,
  { after: asked, otherwise, endsAt, payer, ...what }: SourceOptions,
  context: Context,
): Source<Field> {
  const { store, tail, cursors, clock, scheduler, caller } = context
  const after = context.resumeAfter ?? asked
  const position = after == null ? null : cursors.decode('log', after)
  if (after != null && position === null)
    return named(field, forgedCursor(), { onEnd: () => {}, isReplaced: () => false })
  const start: StreamStart = position === null ? otherwise : { kind: 'after', position }
  const allowed = () => clock().getTime() < endsAt
  let isReplaced = false
  const account = {
    payer: payer === null ? null : `${what.streamId ?? ''} ${payer}`,
    caller: caller.kind === 'client' ? caller.identity : null,
  }
  const leave = context.streams.open(account, () => {
    isReplaced = true
    void items.return?.()
  })
  if (leave === null) throw tooMany('Too many streams are open with tokens of this caller.')
  const items = follow({ log: store.log, tail, start, scheduler, allowed, ...what })
  // Also while it waits: nobody follows on with a right that is over.
  const cancel = callAt(
    endsAt,
    () => void items.return?.(),
    () => clock().getTime(),
  )
  const onEnd = () => {
    cancel()
    leave()
  }
  return named(field, items, { onEnd, isReplaced: () => isReplaced })
}

function tooMany(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'TOO_MANY_OPERATIONS', http: { status: 429 } } })
}

type Ending = {
  /** Called however the items end, and perhaps more than once. */
  readonly onEnd: () => void
  /** Whether they end for a newer stream. */
  readonly isReplaced: () => boolean
}

/** The items under the field's name. */
function named<Field extends string>(
  field: Field,
  items: AsyncIterableIterator<StreamItem>,
  { onEnd, isReplaced }: Ending,
): Source<Field> {
  let isOver = false
  const end = async (): Promise<IteratorReturnResult<undefined>> => {
    isOver = true
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
      if (isOver || !isReplaced()) return { done: true, value: undefined }
      isOver = true
      throw tooMany('A newer stream with the same status token has taken the place of this one.')
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
