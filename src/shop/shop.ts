/**
 * The demo shop's own server: it knows the prices, holds the token that may create payments, and calls the graph as any
 * merchant's server would. The page gets only a link and a status token for that link.
 */
import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify'
import { catalogue } from './catalogue.ts'
import { connectEmulator, readFault } from './emulator.ts'
import { type Fault, ShopError, connectGraph, type GraphOptions } from './graph.ts'
import { placeOrder, readOrder } from './orders.ts'

export type ShopOptions = GraphOptions & {
  /** Returns the URL of the page without a trailing slash, for browsers that send no Origin. */
  readonly publicUrl: () => string
  /** The origin of the emulator's control endpoints; null when the upstream is the payments API itself. */
  readonly sandboxOrigin: string | null
  readonly logger: { readonly warn: (fields: { readonly err: unknown }, message: string) => void }
}

/** An order of all items in the shop has less than one kilobyte. */
const MAX_BODY_BYTES = 8 * 1024

/** Registers the endpoints below `/shop`, apart from the page itself. */
export function addShop(app: FastifyInstance, options: ShopOptions): void {
  const ask = connectGraph(options)
  const emulator = connectEmulator(options.sandboxOrigin)

  app.register(
    async (scope) => {
      // Requires the JSON content type, because a page of another origin cannot send it without a CORS preflight.
      scope.removeContentTypeParser('text/plain')
      scope.setErrorHandler((error: FastifyError, _request, reply) => {
        const { status, fault } = error instanceof ShopError ? error : unexpected(error)
        if (status >= 500) options.logger.warn({ err: error }, 'the demo shop could not do what it was asked')
        return reply.code(status).send({ fault })
      })
      scope.get('/catalogue', async () => ({ ...catalogue(), emulator: await emulator.isThere() }))
      scope.route({
        method: 'POST',
        url: '/orders',
        bodyLimit: MAX_BODY_BYTES,
        handler: async (request) =>
          placeOrder(ask, readOrder(request.body), `${originOf(request) ?? options.publicUrl()}/shop`),
      })
      scope.route({
        method: 'POST',
        url: '/faults',
        bodyLimit: MAX_BODY_BYTES,
        handler: async ({ body }) => emulator.cause(readFault(body)),
      })
    },
    { prefix: '/shop' },
  )
}

/**
 * Returns the origin of the requesting page, from the Origin header; null when it is not this host. The payer must return to
 * the same origin, because the browser's storage is per origin.
 */
function originOf({ headers: { origin = '' }, host }: FastifyRequest): string | null {
  const page = URL.parse(origin)
  return page !== null && page.origin === origin && page.host === host ? origin : null
}

function unexpected({ statusCode = 500 }: FastifyError): { readonly status: number; readonly fault: Fault } {
  const message = MESSAGES[statusCode] ?? 'The shop has failed.'
  const code = statusCode < 500 ? 'INVALID_ORDER' : 'TRY_AGAIN'
  return { status: statusCode, fault: { code, message, problems: [], retryAfterSeconds: null } }
}

const MESSAGES: Readonly<Record<number, string>> = {
  400: 'The body is not JSON.',
  413: 'The body is too large.',
  415: 'The body must be sent as application/json.',
}
