import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest, preValidationHookHandler } from 'fastify'
import { ANONYMOUS, type Caller } from '../../access/caller.ts'
import type { GraphqlHooks } from '../graphql/graphql-addresses.ts'
import { STREAM_BEGUN } from '../response-streams/response-stream.ts'
import type { EarlyAnswers } from '../server/early-answers.ts'
import { clientKey, peerKey } from './client-key.ts'
import { describeOperation, type DescribeOptions } from './describe-operation.ts'
import type { Overload } from './overload.ts'
import { overloadedAnswer } from './overloaded-answer.ts'

/** Media types in `accept` of clients whose answer may be a stream. */
const MAY_STREAM = /event-stream|multipart/i

export type OverloadAdmissionOptions = DescribeOptions & {
  readonly overload: Overload
  /** The caller of a request; a promise, which may reject, if its token is verified for the first time. */
  readonly callerOf: (request: FastifyRequest) => Caller | Promise<Caller>
  /** Address that a connection counts against; null if it is shared. */
  readonly addressOf: (request: IncomingMessage) => string | null
  readonly send: EarlyAnswers['send']
}

type Admission = Omit<GraphqlHooks, 'onRequest'>

declare module 'fastify' {
  interface FastifyRequest {
    /** Marks an admitted request as ended. */
    endAdmission: (() => void) | null
  }
}

/**
 * Returns hooks that queue GraphQL requests once their body is complete, so that slow senders hold no slot, and mark them as ended when
 * the answer is made, so that slow readers hold none either.
 */
export function createAdmission(options: OverloadAdmissionOptions): Admission {
  const { overload, callerOf, send } = options
  const peerOf = (request: IncomingMessage) => peerKey(options.addressOf(request), request)

  const admit = (request: FastifyRequest, reply: FastifyReply, caller: Caller, done: () => void) => {
    const text = typeof request.body === 'string' ? request.body : ''
    const { kind, mustAnswer } = describeOperation(options, text, caller)
    const cancel = overload.enter(kind === 'mutation' ? 'commands' : 'queries', {
      client: clientKey(caller, () => peerOf(request.raw)),
      bytes: text.length,
      mustAnswer,
      start: (release) => {
        // The client has disconnected.
        if (reply.raw.destroyed) return release()
        request.endAdmission = release
        if (MAY_STREAM.test(request.headers.accept ?? '')) reply.raw.on(STREAM_BEGUN, release)
        return done()
      },
      refuse() {
        reply.hijack()
        send(request.raw, reply.raw, overloadedAnswer())
      },
    })
    if (cancel !== null) reply.raw.once('close', cancel)
  }

  const preValidation: preValidationHookHandler = (request, reply, done) => {
    const caller = callerOf(request)
    if (!(caller instanceof Promise)) return admit(request, reply, caller, done)
    const as = (known: Caller) => admit(request, reply, known, done)
    // The route reports an invalid token when the request begins.
    return void caller.then(as, () => as(ANONYMOUS))
  }
  return {
    preValidation: [preValidation],
    onSend: [
      (request, _reply, payload, done) => {
        request.endAdmission?.()
        done(null, payload)
      },
    ],
  }
}
