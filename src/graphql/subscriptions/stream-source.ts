import { GraphQLError } from 'graphql'
import { follow, type Follower, type FollowOptions, type StreamEnd } from '../../streams/follow.ts'
import type { StreamItem, StreamStart } from '../../streams/stream-item.ts'
import type { Context } from '../context.ts'

type SourceOptions = Pick<FollowOptions, 'streamId' | 'matches' | 'filter' | 'endsAt'> & {
  readonly after: string | null | undefined
  /** Where to begin when there is no cursor. */
  readonly otherwise: StreamStart
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
  { after: asked, otherwise, payer, ...what }: SourceOptions,
  context: Context,
): StreamSource<Field> {
  const after = context.resumeAfter ?? asked
  const position = after == null ? null : context.cursors.decode('log', after)
  const isForged = after != null && position === null
  const { caller } = context
  const follower = follow(context.services, {
    ...what,
    start: isForged ? FORGED : position === null ? otherwise : { kind: 'after', position },
    account: {
      payer: payer === null || isForged ? null : `${what.streamId ?? ''} ${payer}`,
      caller: caller.kind === 'client' && !isForged ? caller.identity : null,
    },
  })
  if (follower === null) throw tooMany('Too many streams are open with tokens of this caller.')
  return new StreamSource(field, follower)
}

const FORGED: StreamStart = { kind: 'nowhere', reason: 'The cursor is not one of this log.' }

/** What the resolver of a subscription gives: items, each the root value under the field's own name. */
export class StreamSource<Field extends string> implements AsyncIterableIterator<Record<Field, StreamItem>> {
  readonly field: Field
  readonly follower: Follower

  constructor(field: Field, follower: Follower) {
    this.field = field
    this.follower = follower
  }

  next(): Promise<IteratorResult<Record<Field, StreamItem>>> {
    const { field, follower } = this
    return new Promise((resolve, reject) => {
      follower.pull({
        take: (item) => resolve({ done: false, value: { [field]: item } as Record<Field, StreamItem> }),
        end(reason) {
          const error = errorOf(reason)
          if (error === null) resolve({ done: true, value: undefined })
          else reject(error)
        },
      })
    })
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    this.follower.stop()
    return { done: true, value: undefined }
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}

/** With what a stream ends that does not end by itself: a `GraphQLError` where its client is to know. */
export function errorOf(reason: StreamEnd): unknown {
  if (reason.kind === 'failed') return reason.error
  return reason.kind === 'over'
    ? null
    : tooMany('A newer stream with the same status token has taken the place of this one.')
}

function tooMany(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'TOO_MANY_OPERATIONS', http: { status: 429 } } })
}
