import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import createRouter, { type HTTPMethod } from 'find-my-way'
import type { HostCheck } from 'payments-subgraph-lib/known-hosts'
import type { HttpConfig } from '../../config.ts'
import type { Logger } from '../../observability/logger.ts'
import type { LimitUse } from '../../observability/metrics/metrics.ts'
import type { RequestMetrics } from '../../observability/metrics/request-metrics.ts'
import { isOutage } from '../../store/store-errors.ts'
import { limitBodyTime, slowBody } from '../connections/body-time.ts'
import { createNetworkCheck, isLoopback } from '../connections/client-address.ts'
import {
  limitConnections,
  drainConnections,
  trackConnections,
  limitUnfinishedBodies,
} from '../connections/connections.ts'
import { answerInOrder, type UpgradeListener } from '../connections/requests-in-order.ts'
import { UNREAD_MS } from '../connections/unread-answers.ts'
import type { RouterCheck } from './client-caller.ts'
import { createHttpSender, type HttpSender, preflightAnswer, type TimedRequest } from './http-answer.ts'
import { createOrigins, logOnce } from './origins.ts'
import { notFoundAnswer, problemAnswer, UNAVAILABLE, UNKNOWN_HOST } from './problem.ts'
import { faultOf } from './request-faults.ts'

export type HttpServerOptions = {
  /** `allowedOrigins` are those of pages that may call from a browser; the server's own needs no entry. */
  readonly settings: Pick<HttpConfig, 'publicUrl' | 'allowedOrigins' | 'limits'>
  /** Whether a request is proved to come from the router. */
  readonly isRouter: RouterCheck
  readonly isDraining: () => boolean
  readonly onTurnedAway: (reason: 'connections' | 'overload') => void
  /** Called when the head of a response is sent, with the route. Default: nothing is. */
  readonly onAnswered?: RequestMetrics['requestAnswered'] | undefined
  /** The address that a connection counts against; null if it is shared. */
  readonly addressOf: (request: IncomingMessage) => string | null
  /** Whether the host of a request is a name of this server. Others are refused. Default: every name. */
  readonly isKnownHost?: HostCheck | undefined
  /** Milliseconds within which a peer must read some of a response. Default 10,000. */
  readonly unreadMs?: number | undefined
  readonly logger: Logger
}

/** Parameters in the path of a route, decoded. */
type Params = Readonly<Record<string, string | undefined>>

/** Answers a request to a route. What it throws is logged, and answered with 500. */
export type RequestHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  params: Params,
) => void | Promise<void>

export type HttpServer = HttpSender & {
  readonly server: Server
  /** Sets the handler of a path, for these methods or every one. Other requests are answered with 404. */
  route(methods: HTTPMethod[] | 'every', path: string, handler: RequestHandler): void
  /** Answers a request, which may be of another server. */
  readonly handle: RequestListener
  /** Logs the error, and answers 500, or destroys the connection if the response has begun. */
  fail(request: IncomingMessage, response: ServerResponse, error: unknown): void
  /** Whether the page that sends a request may use the response. For a socket, the only check of its origin and its host. */
  readonly isAllowedOrigin: (request: IncomingMessage) => boolean
  /** Sets what opens sockets. Until then, and for other requests, an upgrade is ignored (RFC 9110, section 7.8). */
  readonly acceptUpgrades: (upgrades: Upgrades) => void
  /** Returns how much of the limit of connections of one address is used. */
  limits(): Readonly<Record<'connections_per_address', LimitUse>>
  /** Starts listening. Returns the URL. Rejects with the system's error. */
  listen(address: { readonly host: string; readonly port: number }): Promise<string>
  /** Returns the URL at which it listens. */
  url(): string
  /**
   * Stops accepting connections, closes those without a request, and waits for the responses in progress; after so many milliseconds
   * it destroys the connections that are still open.
   */
  close(milliseconds: number): Promise<void>
}

export type Upgrades = {
  /** Whether a request that asks for another protocol gets it. */
  readonly accepts: (request: IncomingMessage) => boolean
  readonly open: UpgradeListener
}

/** The server's own limit is that of the slowest route, an upload of pictures; other bodies have `BODY_TIMEOUT_MS`. */
const UPLOAD_TIMEOUT_MS = 130_000
const BODY_TIMEOUT_MS = 15_000
/** Turns of the event loop in which connections are still accepted before the listening socket closes. */
const LAST_TURNS = 10
/**
 * Backlog of connections to accept: Linux's own limit. With Node's default of 511, a burst of clients makes the system drop
 * connections of the payments API as well, which then retries after one second, and after three.
 */
const BACKLOG = 4_096

const SERVER = {
  // With Node's default, a slow header could take 86 seconds.
  headersTimeout: 10_000,
  requestTimeout: UPLOAD_TIMEOUT_MS,
  // Longer than the 60 seconds that load balancers usually keep an idle connection, so that they close it first.
  keepAliveTimeout: 72_000,
  connectionsCheckingInterval: 2_000,
  // Node's defaults, set here because command-line options can change them for the whole process.
  maxHeaderSize: 16 * 1024,
  insecureHTTPParser: false,
  requireHostHeader: true,
}

/**
 * Creates the HTTP server without its routes: limits per peer, CORS, headers that restrict what browsers do with a response, and
 * errors without internal details.
 */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { settings, isDraining, onAnswered, logger, unreadMs = UNREAD_MS } = options
  const { publicUrl, allowedOrigins } = settings
  const { isListed, isAllowed } = createOrigins(settings, logger)
  const origins = allowedOrigins.length === 0 ? null : { isListed }
  const sender = createHttpSender({ publicUrl, origins, isDraining, unreadMs, onAnswered })
  const { send } = sender
  const isKnownHost = createLoggedHostCheck(options)
  // Handlers read the query themselves.
  const router = createRouter({ querystringParser: () => null })
  let upgrades: Upgrades | null = null

  const fail: HttpServer['fail'] = (request, response, error) => {
    logger.error({ err: error, method: request.method }, 'request failed')
    if (response.headersSent) response.destroy()
    else send(request, response, isOutage(error) ? UNAVAILABLE : problemAnswer(500))
  }
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    const timed: TimedRequest = request
    timed.receivedAt = performance.now()
    const { method = '', url = '', rawHeaders, headers } = request
    if (!isKnownHost(request)) return send(request, response, UNKNOWN_HOST)
    const fault = faultOf(url, rawHeaders)
    if (fault !== null) return send(request, response, { ...problemAnswer(fault), closes: true })
    // Called for its log line: the request is answered, and the browser withholds the response from the page.
    if (headers.origin !== undefined) isAllowed(request)
    const preflight = origins === null ? null : preflightAnswer(request, origins)
    if (preflight !== null) return send(request, response, preflight)
    const route = router.find(method as HTTPMethod, url)
    timed.route = route === null ? undefined : (route.store as string)
    if (route === null) return send(request, response, notFoundAnswer(request))
    try {
      const answering: unknown = (route.handler as unknown as RequestHandler)(request, response, route.params)
      if (answering instanceof Promise) answering.catch((error: unknown) => fail(request, response, error))
    } catch (error) {
      fail(request, response, error)
    }
  }

  const { onRequest, onUpgrade, onClientError } = answerInOrder(handle, (...upgrade) => upgrades?.open(...upgrade))
  const onSlow = ({ socket }: IncomingMessage) => onClientError(slowBody(), socket)
  const server = createServer(
    {
      ...SERVER,
      shouldUpgradeCallback: (request) => upgrades?.accepts(request) ?? false,
    },
    limitBodyTime(onRequest, { milliseconds: BODY_TIMEOUT_MS, onSlow }),
  )
  server.on('upgrade', onUpgrade).on('clientError', onClientError)
  const { drain, mostConnections } = limitPeers(server, options)

  return {
    server,
    ...sender,
    handle,
    fail,
    route(methods, path, handler) {
      if (methods === 'every') router.all(path, handler as never, path)
      else router.on(methods, path, handler as never, path)
    },
    isAllowedOrigin: (request) => isKnownHost(request) && isAllowed(request),
    acceptUpgrades: (accepted) => void (upgrades = accepted),
    listen: (address) =>
      new Promise((resolve, reject) => {
        server.once('error', reject).listen({ ...address, backlog: BACKLOG }, () => {
          server.off('error', reject)
          resolve(urlOf(server))
        })
      }),
    url: () => urlOf(server),
    limits: () => ({ connections_per_address: mostConnections() }),
    async close(milliseconds) {
      // Connections in the accept queue would be reset. Turns are counted, because elapsed time does not show that the loop has run.
      for (let turn = 0; turn < LAST_TURNS; turn++) await setImmediate()
      const cut = setTimeout(drain.destroyAll, milliseconds)
      drain.begin()
      await new Promise((resolve) => void server.close(resolve))
      clearTimeout(cut)
    },
  }
}

/** Limits the connections and the unfinished bodies of each address. Returns how the connections are drained. */
function limitPeers(server: Server, { settings, addressOf, isRouter, onTurnedAway, logger }: HttpServerOptions) {
  const { trustProxy, connectionsPerAddress } = settings.limits
  const connections = trackConnections(server)
  const isProxy = createNetworkCheck(trustProxy)
  const warn = atMostOnceAMinute(() =>
    logger.warn(
      { reason: 'connections' },
      'an address has too many connections: is it a proxy that is missing in TRUST_PROXY?',
    ),
  )
  const mostConnections = limitConnections(server, {
    perAddress: connectionsPerAddress,
    isExempt: (address) => isProxy(address) || isLoopback(address),
    isRouter,
    onRefused() {
      onTurnedAway('connections')
      warn()
    },
  })
  const endLimit = limitUnfinishedBodies(connections, { addressOf, onCut: () => onTurnedAway('overload') })
  server.once('close', endLimit)
  return { drain: drainConnections(connections), mostConnections }
}

function createLoggedHostCheck({ isKnownHost = () => true, logger }: HttpServerOptions): HostCheck {
  const log = logOnce(logger, 'ALLOWED_HOSTS', 'a request to an unknown host name was refused')
  return (request) => {
    const isKnown = isKnownHost(request)
    if (!isKnown) log(`http://${request.headers.host}`)
    return isKnown
  }
}

/** Addresses that stand for all of this machine, and the one at which it reaches itself. */
const ANY: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

function urlOf(server: Server): string {
  const { address, port } = server.address() as AddressInfo
  const host = ANY[address] ?? address
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

function atMostOnceAMinute(action: () => void): () => void {
  let lastAt = -Infinity
  return () => {
    if (performance.now() - lastAt < 60_000) return
    lastAt = performance.now()
    action()
  }
}
