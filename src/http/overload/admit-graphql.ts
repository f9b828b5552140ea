import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest, preValidationHookHandler } from 'fastify'
import { ANONYMOUS, type Caller } from '../../access/caller.ts'
import { type GraphqlHooks, EVENTS_PATH, GRAPHQL_PATH } from '../graphql/graphql-addresses.ts'
import { STREAM_BEGUN } from '../response-streams/response-stream.ts'
import type { EarlyAnswers } from '../server/early-answers.ts'
import { faultOf } from '../server/request-fault.ts'
import { describeOperation, type DescribeOptions } from './describe-operation.ts'
import { clientKey, peerKey, type Overload } from './overload.ts'
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

type EarlyRefusalOptions = {
  readonly overload: Overload
  /** Address that a connection counts against; null if it is shared. */
  readonly addressOf: (request: IncomingMessage) => string | null
  readonly send: EarlyAnswers['send']
}

/**
 * Returns the handler that refuses GraphQL requests without a token before they are routed and their body is read. Such a request need not
 * be answered whatever its body says, and its client is identified by address. It refuses only requests that would be refused on
 * entry to the queue.
 */
export function createEarlyRefusal({ overload, addressOf, send }: EarlyRefusalOptions) {
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    if (!overload.isFull('queries') || request.headers.authorization !== undefined) return false
    const { method, url = '', rawHeaders } = request
    if ((method !== 'POST' && method !== 'GET') || !isGraphql(url) || faultOf(url, rawHeaders) !== null) return false
    const client = clientKey(ANONYMOUS, () => peerKey(addressOf(request), request))
    return overload.refuse('queries', client, () => send(request, response, overloadedAnswer()))
  }
}

/** Whether a URL is one of the two addresses in their usual spelling. Others are routed, and refused later. */
function isGraphql(url: string): boolean {
  const end = url.indexOf('?')
  const path = end === -1 ? url : url.slice(0, end)
  return path === GRAPHQL_PATH || path === EVENTS_PATH
}
