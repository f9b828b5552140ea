import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RequestListener } from '../connections/in-order.ts'
import { cutUnreadAnswer } from '../connections/unread-answers.ts'
import type { Origins } from './allowed-origins.ts'
import { EXPOSED_HEADERS, safeHeaders } from './safe-headers.ts'

export type EarlyAnswer = {
  readonly status: number
  /** Names and values alternate; without the headers that every response has. */
  readonly headers: readonly string[]
  readonly body: string
}

/** Answers requests before the framework handles them, because its work for a request costs more than a refusal may. */
export type EarlyAnswers = {
  /** Sets the handler that may answer a request before it is routed. It returns whether it did. */
  setHandler(handle: (request: IncomingMessage, response: ServerResponse) => boolean): void
  /** Sends a response with the headers of a routed one: those for browsers and caches, and CORS. */
  send(request: IncomingMessage, response: ServerResponse, answer: EarlyAnswer): void
}

export type EarlyAnswersOptions = {
  readonly publicUrl: string
  /** Null if no other origin is allowed. */
  readonly origins: Pick<Origins, 'isListed'> | null
  readonly isDraining: () => boolean
  /** Milliseconds within which a peer must read some of a response. */
  readonly unreadMs: number
}

/** Returns the listener that passes a request to the early handler, and to `route` if that has not answered it. */
export function createEarlyAnswers(options: EarlyAnswersOptions) {
  const { publicUrl, origins, isDraining, unreadMs } = options
  const common = [
    ...Object.entries(safeHeaders(publicUrl)).flat(),
    ...(origins !== null ? ['vary', 'Origin', 'access-control-expose-headers', EXPOSED_HEADERS] : []),
  ]
  let takes: (request: IncomingMessage, response: ServerResponse) => boolean = () => false

  const answers: EarlyAnswers = {
    setHandler: (handle) => void (takes = handle),
    send(request, response, { status, headers, body }) {
      // The client has disconnected.
      if (response.destroyed) return
      const head = [...common, ...headers, 'content-length', String(Buffer.byteLength(body))]
      const { origin } = request.headers
      if (origin !== undefined && origins?.isListed(origin) === true) head.push('access-control-allow-origin', origin)
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
