import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ANONYMOUS, type Caller } from '../../access/caller.ts'
import { isGraphql } from '../graphql-addresses.ts'
import { problem } from '../problem.ts'
import { STREAM_BEGUN } from '../response-streams/response-stream.ts'
import { clientKey } from './client-key.ts'
import { describeOperation, type DescribeOptions } from './describe-operation.ts'
import type { Overload } from './overload.ts'
import { retryAfterS } from './retry-after.ts'

const JSON_TYPE = 'application/json; charset=utf-8'
/** Made once, since there are many of them when there is least time. */
const OVERLOADED = JSON.stringify(problem(503))

export type AdmitOptions = DescribeOptions & {
  readonly overload: Overload
  /** Rejects for a token that does not hold. */
  readonly authenticate: (request: FastifyRequest) => Promise<Caller>
  /** Whose connection it is; null for one that is nobody's. */
  readonly addressOf: (request: FastifyRequest['raw']) => string | null
}

/**
 * Admits GraphQL requests once their body is here, so that a peer that sends none holds nothing, and counts them as ended when
 * the answer is made, so that one that does not read it holds nothing either.
 */
export function admitGraphql(app: FastifyInstance, options: AdmitOptions): void {
  const { overload, authenticate, addressOf } = options
  const releases = new WeakMap<FastifyRequest, () => void>()

  const admit = (request: FastifyRequest, reply: FastifyReply, caller: Caller, done: () => void) => {
    const text = typeof request.body === 'string' ? request.body : ''
    const [address, connection] = [addressOf(request.raw), connectionOf(request)]
    const { kind, ...described } = describeOperation(options, { text, caller, address, connection })
    const cancel = overload.enter(kind === 'mutation' ? 'commands' : 'queries', {
      ...described,
      start: (release) => {
        // The client has disconnected.
        if (reply.raw.destroyed) return release()
        releases.set(request, release)
        reply.raw.once(STREAM_BEGUN, release)
        return done()
      },
      refuse: () => refuse(reply),
    })
    reply.raw.once('close', cancel)
  }

  // Without a token a request can be told to be too much before its body is read.
  app.addHook('onRequest', (request, reply, done) => {
    if (!isGraphql(request) || request.headers.authorization !== undefined) return done()
    const client = clientKey(ANONYMOUS, addressOf(request.raw), connectionOf(request))
    if (!overload.refuse('queries', client, () => refuse(reply))) done()
  })
  app.addHook('preValidation', (request, reply, done) => {
    if (!isGraphql(request)) return done()
    if (request.headers.authorization === undefined) return admit(request, reply, ANONYMOUS, done)
    const as = (caller: Caller) => admit(request, reply, caller, done)
    // The route says what is wrong with a token, when it is this request's turn.
    authenticate(request).then(as, () => as(ANONYMOUS))
  })
  app.addHook('onSend', (request, _reply, payload, done) => {
    releases.get(request)?.()
    done(null, payload)
  })
}

function refuse(reply: FastifyReply): void {
  if (reply.raw.destroyed) return
  void reply.headers({ 'retry-after': retryAfterS(), 'content-type': JSON_TYPE }).code(503).send(OVERLOADED)
}

/** Two connections of a proxy are told apart by its ports. */
function connectionOf({ raw: { socket } }: FastifyRequest): string {
  return `${socket.remoteAddress ?? ''} ${socket.remotePort ?? ''}`
}
