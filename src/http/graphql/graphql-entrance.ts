import type { IncomingMessage } from 'node:http'
import { type BodyFault, readBody } from '../../lib/read-body.ts'
import type { Logger } from '../../observability/logger.ts'
import { type DirectAnswer, type DirectAnswers, problemAnswer } from '../server/direct-answers.ts'
import type { Protection } from '../server/protection.ts'
import type { Traced, TraceRequest } from '../server/trace-requests.ts'
import { type EVENTS_PATH, type Exchange, GRAPHQL_PATH, refusalOfBody, TOO_LARGE } from './graphql-body.ts'

/** What differs between the addresses of GraphQL. */
export type GraphqlRoute = {
  /** Whether it answers a request; others are left to the framework. */
  readonly accepts: (request: IncomingMessage) => boolean
  /** Limit of the body, in bytes. */
  readonly maxBytes: (request: IncomingMessage) => number
  /** Returns the refusal of a request whose body is not read; null for others. */
  readonly turnAway: (exchange: Exchange) => DirectAnswer | null
  /**
   * Sends the recent answer to an equal request, if there is one; returns whether it did. Called before the request is queued, also in an
   * overload: to send it takes less than to refuse the request. Default: there is none.
   */
  readonly answerAgain?: (exchange: Exchange, traced: Traced) => boolean
  /** Answers a request that was admitted. Rejects on an internal fault. */
  readonly answer: (exchange: Exchange) => void | Promise<void>
}

export type GraphqlEntrance = {
  /** Adds an address. */
  add(path: typeof GRAPHQL_PATH | typeof EVENTS_PATH, route: GraphqlRoute): void
  /** Sends the answer to an admitted request, which then takes no place any more, so that slow readers take none. */
  send(exchange: Exchange, answer: DirectAnswer): void
}

type GraphqlEntranceOptions = {
  readonly direct: DirectAnswers
  readonly protection: Pick<Protection, 'refusalOf' | 'admit'>
  readonly trace: TraceRequest
  readonly logger: Logger
}

/** Creates the way of every GraphQL request over HTTP: its body is read, then it is queued, and answered. */
export function createGraphqlEntrance({ direct, protection, trace, logger }: GraphqlEntranceOptions): GraphqlEntrance {
  const routes = new Map<string, GraphqlRoute>()

  const send = (exchange: Exchange, answer: DirectAnswer) => {
    exchange.turn?.end()
    direct.send(exchange.request, exchange.response, answer)
  }
  const failWith = (exchange: Exchange) => (error: unknown) => {
    logger.error({ err: error, method: exchange.request.method }, 'request failed')
    if (exchange.response.headersSent) exchange.response.destroy()
    else send(exchange, problemAnswer(500))
  }
  const answerAgain = (route: GraphqlRoute, exchange: Exchange, traced: Traced): boolean => {
    try {
      return route.answerAgain?.(exchange, traced) ?? false
    } catch (error) {
      failWith(exchange)(error)
      return true
    }
  }
  const begin = (route: GraphqlRoute, exchange: Exchange) => {
    try {
      const answering = route.answer(exchange)
      if (answering !== undefined) answering.catch(failWith(exchange))
    } catch (error) {
      failWith(exchange)(error)
    }
  }
  const read = (path: string, route: GraphqlRoute, exchange: Exchange, refusal: DirectAnswer | null) => {
    const { request, response } = exchange
    const refused = refusal ?? route.turnAway(exchange)
    if (refused !== null) return send(exchange, refused)
    const traced = trace(request, response, path)
    const admit = () => {
      if (!answerAgain(route, exchange, traced)) protection.admit(exchange, () => traced(() => begin(route, exchange)))
    }
    if (request.method === 'GET') return admit()
    const maxBytes = route.maxBytes(request)
    const unread = refusalOfBody(request, maxBytes)
    if (unread !== null) return send(exchange, unread)
    const onBody = (body: Buffer | BodyFault) => {
      if (body === 'too-large') return send(exchange, TOO_LARGE)
      if (typeof body === 'string') return
      if (request.headers['content-type'] !== undefined) exchange.body = body.toString()
      admit()
    }
    const announced = Number(request.headers['content-length'] ?? 0)
    readBody(request, { bytes: maxBytes, milliseconds: null }, announced).then(onBody).catch(failWith(exchange))
  }

  direct.handle(GRAPHQL_PATH, (request, response, path) => {
    const route = routes.get(path)
    if (route === undefined || (request.method !== 'POST' && request.method !== 'GET')) return false
    if (!route.accepts(request)) return false
    const exchange: Exchange = { request, response, body: null, caller: null, turn: null }
    const refusal = protection.refusalOf(exchange)
    if (refusal instanceof Promise)
      refusal.then((known) => read(path, route, exchange, known)).catch(failWith(exchange))
    else read(path, route, exchange, refusal)
    return true
  })
  return { add: (path, route) => void routes.set(path, route), send }
}
