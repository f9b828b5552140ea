import type { FastifyReply, FastifyRequest } from 'fastify'
import type { GraphQLError } from 'graphql'
import type { Caller } from '../../access/caller.ts'
import type { OperationRequest } from '../../graphql/admission/read-request.ts'
import type { Answer, AnswerStream } from '../../graphql/engine/request-outcome.ts'

/** A request over HTTP whose operation is a subscription. */
export type StreamRequest = {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly caller: Caller
  readonly operation: OperationRequest
}

/** Responds to the request with the results of its subscription, or with the one result of a refused subscription. */
export type CarryStream = (outcome: Answer | AnswerStream) => void

/** A way to deliver a subscription over HTTP. */
export type StreamCarrier = {
  /** Whether the request asks for this way of delivery. */
  accepts(asked: Pick<StreamRequest, 'request' | 'operation'>): boolean
  /** Reserves a place before the subscription begins, or returns why it may not begin. */
  reserve(asked: StreamRequest): CarryStream | GraphQLError
}
