import cors from '@fastify/cors'
import { fastify, type FastifyError, type FastifyInstance } from 'fastify'
import type { Logger } from '../log.ts'

export type HttpServerOptions = {
  /** Origins of the pages that may call from a browser; our own needs no entry. */
  readonly allowedOrigins: readonly string[]
  readonly isDraining: () => boolean
  readonly logger: Logger
}

/** What a slow or silent peer may cost: Node's own defaults let a slow header live for 86 seconds. */
const HEADERS_TIMEOUT_MS = 10_000
const REQUEST_TIMEOUT_MS = 15_000
const CHECK_EVERY_MS = 2_000

/** The HTTP server without its routes: timeouts, cross-origin rules, and errors that tell nothing they should not. */
export async function createHttpServer({
  allowedOrigins,
  isDraining,
  logger,
}: HttpServerOptions): Promise<FastifyInstance> {
  const app = fastify({
    logger: false,
    requestTimeout: REQUEST_TIMEOUT_MS,
    http: { headersTimeout: HEADERS_TIMEOUT_MS, connectionsCheckingInterval: CHECK_EVERY_MS },
    forceCloseConnections: 'idle',
  })
  if (allowedOrigins.length > 0)
    await app.register(cors, { origin: [...allowedOrigins], methods: ['GET', 'POST'], maxAge: 600 })

  // A connection that is kept alive after the last answer would hold up the end of the process for a minute.
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (isDraining()) reply.header('connection', 'close')
    done(null, payload)
  })
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const status = error.statusCode ?? 500
    if (status >= 500)
      logger.error({ err: error, method: request.method, path: request.routeOptions.url ?? '/' }, 'request failed')
    return reply.code(status).send(problem(status))
  })
  app.setNotFoundHandler((_request, reply) => reply.code(404).send(problem(404)))
  return app
}

const MESSAGES: Readonly<Record<number, string>> = {
  400: 'The request cannot be read.',
  404: 'There is nothing at this address.',
  413: 'The request is too large.',
  415: 'The content type is not one that is read here.',
}

/** The body of an error in GraphQL's own form, so that a client needs one way to read errors. */
function problem(status: number) {
  const code = status >= 500 ? 'INTERNAL_SERVER_ERROR' : 'BAD_REQUEST'
  const message =
    MESSAGES[status] ?? (status >= 500 ? 'The request failed. The fault has been logged.' : 'The request was refused.')
  return { errors: [{ message, extensions: { code } }] }
}
