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

/** Responds to the request with the answers of its subscription, or with the one answer of a subscription that was refused. */
export type CarryStream = (outcome: Answer | AnswerStream) => void

/** A way to deliver a subscription over HTTP. */
export type StreamCarrier = {
  /** Whether the request asks for its stream in this way. */
  accepts(asked: Pick<StreamRequest, 'request' | 'operation'>): boolean
  /** Takes up the request before its subscription begins, or returns why it may not begin. */
  reserve(asked: StreamRequest): CarryStream | GraphQLError
}
