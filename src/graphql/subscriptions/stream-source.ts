import { GraphQLError } from 'graphql'
import { follow, type Follower, type FollowOptions, type StreamEnd } from '../../streams/follow.ts'
import type { Snapshot, StreamItem, StreamStart } from '../../streams/stream-item.ts'
import type { Context } from '../context.ts'
import { notFound } from '../error-formatter.ts'
import { onlyByToken, type Owned, payerOf, rightEndsAt } from '../rights/rights.ts'

type SourceOptions = Pick<FollowOptions, 'streamId' | 'matches' | 'filter' | 'endsAt'> & {
  readonly after: string | null | undefined
  /** Start of the stream if there is no cursor. */
  readonly otherwise: StreamStart
  /** Key by which the streams of this link or payment are counted; null if the caller's scopes allow the stream. */
  readonly payer: string | null
}

/**
 * Creates a stream as a subscription's source. If the stream cannot resume from the cursor, it emits RESYNC_REQUIRED and ends, and the
 * client has to read the state again. Throws a `GraphQLError` (TOO_MANY_OPERATIONS) if the caller has too many streams. A stream that
 * is replaced by a newer one of its payer ends with the same code.
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
  return new StreamSource<Field>(field, follower)
}

const NOTHING: Snapshot = { link: null, payment: null, agreement: null, payout: null, gatewayPayment: null }

type Followed<Of extends keyof Snapshot> = {
  readonly of: Of
  readonly snapshot: (Partial<Snapshot> & Record<Of, { readonly streamId: string }> & { readonly head: number }) | null
  /** The link or direct payin of a payment, or the agreement, that payers may follow; absent if only scopes allow it. */
  readonly owned?: Owned | null | undefined
}

/** Creates the stream of a subject from its snapshot, as `streamSource` does. Throws NOT_FOUND without one. */
export function followOf<Field extends string, Of extends keyof Snapshot>(
  field: Field,
  { of, snapshot, owned }: Followed<Of>,
  { after, statusToken }: { readonly after?: string | null | undefined; statusToken?: string | null | undefined },
  context: Context,
): StreamSource<Field> {
  if (snapshot === null) throw notFound('id')
  const scope = of === 'agreement' ? 'agreements:read' : 'payments:read'
  const byToken = owned !== undefined && onlyByToken(context, owned, scope)
  return streamSource(
    field,
    {
      streamId: snapshot[of].streamId,
      after,
      otherwise: { kind: 'snapshot', ...NOTHING, ...snapshot },
      endsAt: rightEndsAt(context, byToken, statusToken),
      payer: owned === undefined ? null : payerOf(context, owned, scope),
    },
    context,
  )
}

const FORGED: StreamStart = { kind: 'nowhere', reason: 'The cursor is not one of this log.' }

/** The result of a subscription's resolver: an iterator of root values, each with the item under the field's name. */
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

/** Returns the error of a stream's end: null for a normal end, a `GraphQLError` for the client if it was replaced, or its failure. */
export function errorOf(reason: StreamEnd): unknown {
  if (reason.kind === 'failed') return reason.error
  return reason.kind === 'over'
    ? null
    : tooMany('A newer stream with the same status token has taken the place of this one.')
}

/** Returns the error of a stream that is refused, or ended, because of a limit. */
function tooMany(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'TOO_MANY_OPERATIONS', http: { status: 429 } } })
}
