import type { IncomingMessage, ServerResponse } from 'node:http'
import type { HttpConfig } from '../../config/shape.ts'
import type { RequestListener } from '../connections/in-order.ts'
import { cutUnreadAnswer } from '../connections/unread-answers.ts'
import { safeHeaders } from './safe-headers.ts'

export type EarlyAnswer = {
  readonly status: number
  /** Names and values in turn, without those that every answer has. */
  readonly headers: readonly string[]
  readonly body: string
}

/** Answers before the framework has seen the request: what it does for a request costs more than a refusal may. */
export type EarlyAnswers = {
  /** Sets what may take a request before it is routed. It tells whether it did. */
  setHandler(handle: (request: IncomingMessage, response: ServerResponse) => boolean): void
  /** Sends an answer with the headers of one that was routed: those for browsers and caches, and the cross-origin rules. */
  send(request: IncomingMessage, response: ServerResponse, answer: EarlyAnswer): void
}

export type EarlyAnswersOptions = {
  readonly settings: Pick<HttpConfig, 'publicUrl' | 'allowedOrigins'>
  readonly isDraining: () => boolean
  /** Milliseconds in which a peer must take some of an answer. */
  readonly unreadMs: number
}

/** Returns the listener that gives a request to the early handler, and to `route` when that has not taken it. */
export function createEarlyAnswers(options: EarlyAnswersOptions) {
  const { settings, isDraining, unreadMs } = options
  const origins = new Set(settings.allowedOrigins)
  const common = [
    ...Object.entries(safeHeaders(settings.publicUrl)).flat(),
    ...(origins.size > 0 ? ['vary', 'Origin'] : []),
  ]
  let takes: (request: IncomingMessage, response: ServerResponse) => boolean = () => false

  const answers: EarlyAnswers = {
    setHandler: (handle) => void (takes = handle),
    send(request, response, { status, headers, body }) {
      // The client has disconnected.
      if (response.destroyed) return
      const head = [...common, ...headers, 'content-length', String(Buffer.byteLength(body))]
      const { origin } = request.headers
      if (origin !== undefined && origins.has(origin)) head.push('access-control-allow-origin', origin)
      if (isDraining()) head.push('connection', 'close')
      response.writeHead(status, head).end(body)
      cutUnreadAnswer(response, unreadMs)
    },
  }
  const routeUnlessTaken =
    (route: RequestListener): RequestListener =>
    (request, response) => {
      if (!takes(request, response)) route(request, response)
    }
  return { answers, routeUnlessTaken }
}
