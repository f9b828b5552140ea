import type { IncomingMessage, ServerResponse } from 'node:http'
import { type BodyFault, readBody } from '../../lib/read-body.ts'
import type { Protection } from '../protection/protection.ts'
import type { EVENTS_PATH, Exchange, FEED_PATH, GRAPHQL_PATH } from '../server/graphql-exchange.ts'
import type { HttpAnswer } from '../server/http-answer.ts'
import type { HttpServer } from '../server/server.ts'
import type { Traced, TraceRequest } from '../server/trace-requests.ts'
import { refusalOfBody, TOO_LARGE } from './graphql-body.ts'

/** What differs between the addresses of GraphQL. */
export type GraphqlRoute = {
  /** Sends a page for people, if the request asks for one; returns whether it did. Default: there is none. */
  readonly sendPage?: (request: IncomingMessage, response: ServerResponse) => boolean
  /** Limit of the body, in bytes. */
  readonly maxBytes: (request: IncomingMessage) => number
  /** Returns the refusal of a request whose body is not read; null for others. Default: none is refused. */
  readonly turnAway?: (exchange: Exchange) => HttpAnswer | null
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
  add(path: typeof GRAPHQL_PATH | typeof EVENTS_PATH | typeof FEED_PATH, route: GraphqlRoute): void
  /** Sends the answer to an admitted request, which then takes no place any more, so that slow readers take none. */
  send(exchange: Exchange, answer: HttpAnswer): void
}

type GraphqlEntranceOptions = {
  readonly http: Pick<HttpServer, 'route' | 'send' | 'fail'>
  readonly protection: Pick<Protection, 'refusalOf' | 'admit'>
  readonly trace: TraceRequest
}

/** Creates the way of every GraphQL request over HTTP: its body is read, then it is queued, and answered. */
export function createGraphqlEntrance({ http, protection, trace }: GraphqlEntranceOptions): GraphqlEntrance {
  const send = (exchange: Exchange, answer: HttpAnswer) => {
    exchange.turn?.end()
    http.send(exchange.request, exchange.response, answer)
  }
  const failWith = (exchange: Exchange) => (error: unknown) => {
    exchange.turn?.end()
    http.fail(exchange.request, exchange.response, error)
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
  const read = (path: string, route: GraphqlRoute, exchange: Exchange, refusal: HttpAnswer | null) => {
    const { request, response } = exchange
    const refused = refusal ?? route.turnAway?.(exchange) ?? null
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

  return {
    send,
    add: (path, route) =>
      http.route(['GET', 'POST'], path, (request, response) => {
        if (route.sendPage?.(request, response) === true) return
        const exchange: Exchange = { request, response, body: null, caller: null, turn: null }
        const refusal = protection.refusalOf(exchange)
        if (refusal instanceof Promise)
          refusal.then((known) => read(path, route, exchange, known)).catch(failWith(exchange))
        else read(path, route, exchange, refusal)
      }),
  }
}
