import { createSourceEventStream, GraphQLError, type GraphQLSchema } from 'graphql'
import type { ExecutableOperation } from 'graphql-plan'
import type { PaymentEvent } from '../../domain/events/payment-event.ts'
import type { Piece } from '../../lib/slice-scheduler.ts'
import type { Logger } from '../../observability/logger.ts'
import type { Follower, ItemReader, StreamEnd } from '../../streams/follow.ts'
import type { StreamItem } from '../../streams/stream-item.ts'
import type { Context } from '../context.ts'
import { errorOf, StreamSource } from '../subscriptions/stream-source.ts'
import type { Answers, FanOut, ItemAnswer } from './fan-out.ts'
import type { AnswerReader, AnswersEnd, AnswerStream } from './request-outcome.ts'

export type SubscribeOptions = {
  readonly fanOut: FanOut
  /** Returns the response that consists of this error, as JSON. */
  readonly errorText: (error: GraphQLError) => string
  /** Called for each event after CAUGHT_UP that is handed to the transport. */
  readonly onDelivered: (event: PaymentEvent) => void
  readonly logger: Logger
}

/**
 * Subscribes for the caller of a context. Returns the errors if the subscription is rejected. If the source ends with a
 * `GraphQLError`, the last answer is that error, without `data`.
 */
export async function subscribe(
  schema: GraphQLSchema,
  operation: ExecutableOperation,
  { context, ...options }: SubscribeOptions & { readonly context: Context },
): Promise<AnswerStream | readonly GraphQLError[]> {
  const { document, node, request } = operation
  const source = await createSourceEventStream({
    schema,
    document,
    operationName: node.name?.value,
    variableValues: request.variables,
    contextValue: context,
  })
  if (!(Symbol.asyncIterator in source)) return source.errors ?? []
  if (!(source instanceof StreamSource)) throw new TypeError('The source of a subscription is none of our streams.')
  const { follower, field } = source
  const { caller } = context
  return new FollowedAnswers(follower, { operation, field, caller }, options)
}

/** A stream of the log whose items are executed for the caller. */
class FollowedAnswers implements AnswerStream, ItemReader, Piece {
  readonly kind = 'stream'
  readonly #follower: Follower
  readonly #options: SubscribeOptions
  /** Expiry of the caller's token in milliseconds since the epoch; `Infinity` without one, or if the rights have been removed. */
  #expiresAt: number
  #answers: Answers | null
  /** Set while it waits for an answer. */
  #reader: AnswerReader | null = null
  /** The item whose answer is in progress. */
  #item: StreamItem | null = null
  #answer: ItemAnswer | null = null
  #isLive = false

  constructor(follower: Follower, subscription: Parameters<FanOut['join']>[0], options: SubscribeOptions) {
    const { caller } = subscription
    this.#follower = follower
    this.#options = options
    this.#answers = options.fanOut.join(subscription)
    this.#expiresAt = caller.kind === 'client' ? caller.expiresAt : Infinity
  }

  pull(reader: AnswerReader): void {
    this.#reader = reader
    this.#follower.pull(this)
  }

  stop(): void {
    this.#follower.stop()
    // An answer in progress is discarded.
    this.#end('complete')
  }

  take(item: StreamItem): void {
    const answer = this.#current()?.answer(item)
    if (answer === undefined) return
    if (answer.isMade(this)) return this.#give(answer, item)
    this.#item = item
    this.#answer = answer
  }

  run(): void {
    if (this.#item !== null && this.#answer !== null) this.#give(this.#answer, this.#item)
  }

  end(reason: StreamEnd): void {
    const error = errorOf(reason)
    if (error === null) return this.#end('complete')
    if (error instanceof GraphQLError) {
      this.#leave()
      return this.#released()?.take({ json: this.#options.errorText(error), cursor: null })
    }
    this.#options.logger.error({ err: error }, 'the source of a stream failed')
    return this.#interrupt()
  }

  /** Returns the answers for the current rights: a stream with a status token may outlive the JWT, whose rights are then removed. */
  #current(): Answers | null {
    const answers = this.#answers
    if (answers === null || Date.now() < this.#expiresAt) return answers
    const { fanOut } = this.#options
    const { subscription } = answers
    const { caller } = subscription
    this.#expiresAt = Infinity
    if (caller.kind === 'anonymous') return answers
    this.#answers = fanOut.join({ ...subscription, caller: { ...caller, expiresAt: 0 } })
    fanOut.leave(answers)
    return this.#answers
  }

  #give(made: ItemAnswer, item: StreamItem): void {
    const answer = made.answerFor(item)
    if (answer === null) this.#interrupt()
    else {
      if (this.#isLive && item.kind === 'EVENT') this.#options.onDelivered(item.event)
      this.#isLive ||= item.kind === 'CAUGHT_UP'
      this.#released()?.take(answer)
    }
  }

  #leave(): void {
    if (this.#answers !== null) this.#options.fanOut.leave(this.#answers)
    this.#answers = null
  }

  #end(how: AnswersEnd): void {
    this.#leave()
    this.#released()?.end(how)
  }

  /** Ends the stream so that the client reconnects after its last item. The reason must have been logged before. */
  #interrupt(): void {
    const reader = this.#released()
    this.#follower.stop()
    this.#leave()
    reader?.end('interrupted')
  }

  /** Returns the reader, which no longer waits. */
  #released(): AnswerReader | null {
    const reader = this.#reader
    this.#reader = null
    this.#item = null
    this.#answer = null
    return reader
  }
}
