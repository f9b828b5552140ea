import { createServer, type IncomingMessage, type ServerOptions } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import cors from '@fastify/cors'
import { fastify, type FastifyError, type FastifyInstance, type FastifyReply } from 'fastify'
import type { HostCheck } from 'payments-subgraph-lib/known-hosts'
import { UPLOAD_PATH } from '../../commands/request-identity-check.ts'
import type { HttpConfig } from '../../config.ts'
import { RECEIVED } from '../../lib/read-body.ts'
import type { Logger } from '../../observability/logger.ts'
import {
  limitConnections,
  drainConnections,
  type ConnectionDrain,
  trackConnections,
  limitUnfinishedBodies,
} from '../connections/connections.ts'
import { answerInOrder, type UpgradeListener } from '../connections/requests-in-order.ts'
import { sendMissingPage, asksForPage } from '../pages/pages.ts'
import { createNetworkCheck, isLoopback, type RouterCheck } from './client-caller.ts'
import {
  cutUnreadAnswer,
  type RequestListener,
  UNREAD_MS,
  createOrigins,
  logOnce,
  createDirectAnswers,
  type DirectAnswers,
  EXPOSED_HEADERS,
  safeHeaders,
} from './direct-answers.ts'
import { problem, faultOf } from './direct-answers.ts'

export type HttpServerOptions = {
  /** `allowedOrigins` are those of pages that may call from a browser; the server's own needs no entry. */
  readonly settings: Pick<HttpConfig, 'publicUrl' | 'allowedOrigins' | 'limits'>
  /** Whether a request is proved to come from the router. */
  readonly isRouter: RouterCheck
  readonly isDraining: () => boolean
  readonly onTurnedAway: (reason: 'connections' | 'overload') => void
  /** The address that a connection counts against; null if it is shared. */
  readonly addressOf: (request: IncomingMessage) => string | null
  /** Whether the host of a request is a name of this server. Others are refused. Default: every name. */
  readonly isKnownHost?: HostCheck | undefined
  /** Milliseconds within which a peer must read some of a response. Default 10,000. */
  readonly unreadMs?: number | undefined
  readonly logger: Logger
}

export type HttpServer = {
  readonly http: FastifyInstance
  readonly connections: ConnectionDrain
  readonly direct: DirectAnswers
  /** Whether the page that sends a request may use the response. For a socket, the only check of its origin and its host. */
  readonly isAllowedOrigin: (request: IncomingMessage) => boolean
  /** Sets what opens sockets. Until then, and for other requests, an upgrade is ignored (RFC 9110, section 7.8). */
  readonly acceptUpgrades: (upgrades: Upgrades) => void
}

export type Upgrades = {
  /** Whether a request that asks for another protocol gets it. */
  readonly accepts: (request: IncomingMessage) => boolean
  readonly open: UpgradeListener
}

/** Timeouts for slow and silent peers. With Node's defaults, a slow header could take 86 seconds. */
const HEADERS_TIMEOUT_MS = 10_000
const REQUEST_TIMEOUT_MS = 15_000
/** The server's own limit is that of the slowest route, an upload of pictures; other bodies have `REQUEST_TIMEOUT_MS`. */
const UPLOAD_TIMEOUT_MS = 130_000
const CHECK_EVERY_MS = 2_000
/** Longer than the 60 seconds that load balancers usually keep an idle connection, so that they close it first. */
const KEEP_ALIVE_MS = 72_000
const MAX_BODY_BYTES = 100 * 1024
const MAX_HEADER_BYTES = 16 * 1024
/** Seconds for which a browser may cache a CORS preflight. */
const PREFLIGHT_S = 600

/** No route has a JSON schema. Without these, Fastify loads its two compilers of such schemas at the start. */
const NO_JSON_SCHEMAS = { buildValidator: refuseJsonSchema, buildSerializer: refuseJsonSchema }

function refuseJsonSchema(): never {
  throw new Error('A route has a JSON schema.')
}

const SERVER: ServerOptions = {
  headersTimeout: HEADERS_TIMEOUT_MS,
  requestTimeout: UPLOAD_TIMEOUT_MS,
  keepAliveTimeout: KEEP_ALIVE_MS,
  connectionsCheckingInterval: CHECK_EVERY_MS,
  // Node's defaults, set here because command-line options can change them for the whole process.
  maxHeaderSize: MAX_HEADER_BYTES,
  insecureHTTPParser: false,
  requireHostHeader: true,
}

/**
 * Creates the HTTP server without its routes: limits per peer, CORS, headers that restrict what browsers do with a response, and
 * errors without internal details.
 */
export async function createHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { settings, isRouter, isDraining, onTurnedAway, logger } = options
  const unreadMs = options.unreadMs ?? UNREAD_MS
  const headers = safeHeaders(settings.publicUrl)
  const { publicUrl } = settings
  const { patterns, isListed, isAllowed } = createOrigins(settings, logger)
  const origins = patterns.length === 0 ? null : { isListed }
  const logHost = logOnce(logger, 'ALLOWED_HOSTS', 'a request to an unknown host name was refused')
  const isKnownHost: HostCheck = (request) => {
    const isKnown = options.isKnownHost?.(request) ?? true
    if (!isKnown) logHost(`http://${request.headers.host}`)
    return isKnown
  }
  const direct = { publicUrl, origins, isAllowed, isKnownHost, isDraining, unreadMs }
  const { answers, routeUnlessTaken } = createDirectAnswers(direct)
  let upgrades: Upgrades | null = null
  const app = fastify({
    logger: false,
    schemaController: { compilersFactory: NO_JSON_SCHEMAS },
    bodyLimit: MAX_BODY_BYTES,
    serverFactory: (route) => {
      const { onRequest, onUpgrade, onClientError } = answerInOrder(routeUnlessTaken(route), (...upgrade) =>
        upgrades?.open(...upgrade),
      )
      const server = createServer(
        { ...SERVER, shouldUpgradeCallback: (request) => upgrades?.accepts(request) ?? false },
        limitBodyTime(onRequest, {
          milliseconds: REQUEST_TIMEOUT_MS,
          onSlow: ({ socket }) => onClientError(slowBody(), socket),
        }),
      )
      return server.on('upgrade', onUpgrade).on('clientError', onClientError)
    },
    // The listener above has answered.
    clientErrorHandler: () => {},
    // X-Forwarded-For is trusted from configured proxies only.
    trustProxy: settings.limits.trustProxy.length === 0 ? false : [...settings.limits.trustProxy],
    forceCloseConnections: 'idle',
    // For a URL that cannot be parsed, or whose last segment is too long. The framework's own response would repeat the URL.
    frameworkErrors: (_error, _request, reply: FastifyReply) =>
      void reply.headers(headers).code(404).send(problem(404)),
    // During shutdown the routes answer 503 themselves, with Retry-After.
    return503OnClosing: false,
  })
  const connections = trackConnections(app.server)
  const drain = drainConnections(connections)
  const isProxy = createNetworkCheck(settings.limits.trustProxy)
  const warn = atMostOnceAMinute(() =>
    logger.warn(
      { reason: 'connections' },
      'an address has too many connections: is it a proxy that TRUST_PROXY lacks?',
    ),
  )
  limitConnections(app.server, {
    perAddress: settings.limits.connectionsPerAddress,
    isExempt: (address) => isProxy(address) || isLoopback(address),
    isRouter,
    onRefused: () => {
      onTurnedAway('connections')
      warn()
    },
  })
  app.addHook('onRequest', ({ raw }, reply, done) => {
    reply.headers(headers)
    // Called for its log line: the request is answered, and the browser withholds the response from the page.
    isAllowed(raw)
    done()
  })
  app.addHook('onSend', (_request, reply, payload, done) => {
    // A connection that is kept alive after the last response would delay the shutdown by a minute.
    if (isDraining()) reply.header('connection', 'close')
    done(null, payload)
    cutUnreadAnswer(reply.raw, unreadMs)
  })
  const endLimit = limitUnfinishedBodies(connections, {
    addressOf: options.addressOf,
    onCut: () => onTurnedAway('overload'),
  })
  app.addHook('onClose', async () => endLimit())
  if (origins !== null)
    await app.register(cors, {
      origin: [...patterns],
      methods: ['GET', 'POST'],
      exposedHeaders: EXPOSED_HEADERS,
      maxAge: PREFLIGHT_S,
    })

  app.addHook('onRequest', ({ raw }, reply, done) => {
    const status = faultOf(raw.url ?? '', raw.rawHeaders)
    if (status === null) return done()
    return void reply.header('connection', 'close').code(status).send(problem(status))
  })
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const status = error.statusCode ?? 500
    if (status >= 500)
      logger.error({ err: error, method: request.method, path: request.routeOptions.url ?? '/' }, 'request failed')
    return reply.code(status).send(problem(status))
  })
  app.setNotFoundHandler((request, reply) =>
    asksForPage(request) ? sendMissingPage(reply) : reply.code(404).send(problem(404)),
  )
  return {
    http: app,
    connections: drain,
    direct: answers,
    isAllowedOrigin: (request) => isKnownHost(request) && isAllowed(request),
    acceptUpgrades: (accepted) => void (upgrades = accepted),
  }
}

/** Turns of the event loop in which connections are still accepted before the listening socket closes. */
const LAST_TURNS = 10

/**
 * Stops accepting connections, closes those without a request, and waits for the responses in progress; after so many milliseconds
 * it destroys the connections that are still open.
 */
export async function closeHttpServer(
  app: FastifyInstance,
  connections: ConnectionDrain,
  milliseconds: number,
): Promise<void> {
  // Connections in the accept queue would be reset. Turns are counted, because elapsed time does not show that the loop has run.
  for (let turn = 0; turn < LAST_TURNS; turn++) await setImmediate()
  const cut = setTimeout(connections.destroyAll, milliseconds)
  connections.begin()
  await app.close()
  clearTimeout(cut)
}

function atMostOnceAMinute(action: () => void): () => void {
  let lastAt = -Infinity
  return () => {
    if (performance.now() - lastAt < 60_000) return
    lastAt = performance.now()
    action()
  }
}

export type BodyTimeOptions = {
  /** Milliseconds from the headers of a request to the end of its body. */
  readonly milliseconds: number
  readonly onSlow: (request: IncomingMessage) => void
}

/**
 * Limits the time for the body of every request, except uploads of pictures. Node has one limit for all requests of a server
 * (`requestTimeout`), which has to be that of the slowest route.
 */
export function limitBodyTime(onRequest: RequestListener, { milliseconds, onSlow }: BodyTimeOptions): RequestListener {
  const watch = (request: IncomingMessage) => {
    if (request.complete || request.destroyed) return
    // Most bodies come with their headers.
    if (request.readableLength > 0 && request.readableLength === Number(request.headers['content-length'])) return
    const timer = setTimeout(() => {
      if (!request.complete && !request.destroyed) onSlow(request)
    }, milliseconds).unref()
    request.once('close', () => clearTimeout(timer))
  }
  return (request, response) => {
    if (hasBody(request) && !isUpload(request)) void RECEIVED.then(() => watch(request))
    onRequest(request, response)
  }
}

/** Returns the error that Node raises for a request that is too slow. */
export function slowBody(): NodeJS.ErrnoException {
  return Object.assign(new Error('The body of the request was too slow.'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
}

/** The reader of an upload has limits of its own. */
function isUpload({ url = '' }: IncomingMessage): boolean {
  return url.startsWith(UPLOAD_PATH) && (url.length === UPLOAD_PATH.length || url[UPLOAD_PATH.length] === '?')
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}
