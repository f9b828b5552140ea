import type { IncomingMessage } from 'node:http'
import type { Registry } from 'prom-client'
import { bearerToken } from '../../access/caller.ts'
import type { Config } from '../../config.ts'
import { equalsOneOf } from '../../keys/key-ring.ts'
import type { FailedAttempts } from '../limits/failed-attempts.ts'
import { jsonAnswer, type HttpAnswer } from '../server/http-answer.ts'
import { problemAnswer } from '../server/problem.ts'
import { createHttpServer, type HttpServer, type HttpServerOptions } from '../server/server.ts'

export type AdminServer = {
  /** Returns the URL on which it listens. Rejects with the system's error. */
  listen(): Promise<string>
  /** Stops the server; requests in progress have half a second to be answered. */
  close(): Promise<void>
}

type AdminServerOptions = {
  readonly address: { readonly host: string; readonly port: number }
  readonly server: Omit<HttpServerOptions, 'isRouter' | 'onTurnedAway'>
  readonly health: HealthOptions
  readonly registry: Registry
}

const CLOSE_MS = 500

/** Probes and metrics on a port of their own, for operators only: no origin is allowed, and it is not for clients. */
export function createAdminServer({ address, server, health, registry }: AdminServerOptions): AdminServer {
  const settings = { ...server.settings, allowedOrigins: [] }
  const options = { ...server, settings, isRouter: () => false, onTurnedAway: () => {} }
  const http = createHttpServer(options)
  addHealthRoutes(http, health)
  addMetricsRoute(http, { registry, access: { kind: 'everybody' } })
  return { listen: () => http.listen(address), close: () => http.close(CLOSE_MS) }
}

export type HealthOptions = {
  /** Whether the process is still warming up. It answers already, but more slowly than later. */
  readonly isStarting: () => boolean
  /** Rejects if the store does not answer. */
  readonly ping: () => Promise<void>
  readonly isDraining: () => boolean
}

type Routes = Pick<HttpServer, 'route' | 'send'>

const OK = jsonAnswer(200, { status: 'ok' })
const unready = (status: string) => jsonAnswer(503, { status })

/** Adds the liveness and readiness probes. An overload is no reason to be unready: webhooks are still accepted then. */
export function addHealthRoutes({ route, send }: Routes, options: HealthOptions): void {
  const { ping, isStarting, isDraining } = options
  const readiness = async (): Promise<HttpAnswer> => {
    if (isDraining()) return unready('draining')
    if (isStarting()) return unready('starting')
    return ping().then(
      () => OK,
      () => unready('store unavailable'),
    )
  }
  route(['GET', 'HEAD'], '/health/live', (request, response) => send(request, response, OK))
  route(['GET', 'HEAD'], '/health/ready', async (request, response) => send(request, response, await readiness()))
}

type MetricsOptions = {
  readonly registry: Registry
  readonly access: Config['monitoring']['metrics']
  /** Counts failed authentications; by default none is. */
  readonly guard?: { readonly failures: FailedAttempts; readonly peerOf: (request: IncomingMessage) => string }
}

/** Adds `GET /metrics` in the Prometheus format, with the configured access; adds no route if access is off. */
export function addMetricsRoute({ route, send }: Routes, { registry, access, guard }: MetricsOptions): void {
  if (access.kind === 'nobody') return
  const refusalOf = (request: IncomingMessage): HttpAnswer | null => {
    // With two lines, a proxy in front may have checked the other one: joined, they match no token.
    const authorization = request.headersDistinct['authorization']?.join(', ')
    if (access.kind !== 'token' || equalsOneOf(bearerToken(authorization) ?? '', [access.token.reveal()])) return null
    if (authorization !== undefined && guard !== undefined) {
      const { failures, peerOf } = guard
      const peer = peerOf(request)
      if (failures.tooMany(peer)) return problemAnswer(429, { retryAfterS: failures.retryAfter() })
      failures.count(peer)
    }
    return problemAnswer(401, { headers: ['www-authenticate', 'Bearer'] })
  }
  route(['GET', 'HEAD'], '/metrics', async (request, response) => {
    const refusal = refusalOf(request)
    if (refusal !== null) return send(request, response, refusal)
    const headers = ['content-type', registry.contentType]
    return send(request, response, { status: 200, headers, body: await registry.metrics() })
  })
}
