import type { FastifyInstance } from 'fastify'
import type { Registry } from 'prom-client'
import { bearerToken } from '../../access/caller.ts'
import type { Config } from '../../config.ts'
import { equalsOneOf } from '../../keys/key-ring.ts'
import type { FailedAttempts } from '../limits/flood-guard.ts'
import { peerName } from '../server/client-caller.ts'
import { problem } from '../server/direct-answers.ts'
import { closeHttpServer, createHttpServer, type HttpServerOptions } from '../server/server.ts'

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
export async function createAdminServer({
  address,
  server,
  health,
  registry,
}: AdminServerOptions): Promise<AdminServer> {
  const settings = { ...server.settings, allowedOrigins: [] }
  const options = { ...server, settings, isRouter: () => false, onTurnedAway: () => {} }
  const { http, connections } = await createHttpServer(options)
  addHealthRoutes(http, health)
  addMetricsRoute(http, { registry, access: { kind: 'everybody' }, failures: null })
  return { listen: () => http.listen({ ...address }), close: () => closeHttpServer(http, connections, CLOSE_MS) }
}

export type HealthOptions = {
  /** Whether the process is still warming up. It answers already, but more slowly than later. */
  readonly isStarting: () => boolean
  /** Rejects if the store does not answer. */
  readonly ping: () => Promise<void>
  readonly isDraining: () => boolean
  /** Whether the process is overloaded and refuses GraphQL requests. */
  readonly isOverloaded: () => boolean
}

/** Adds the liveness and readiness probes. */
export function addHealthRoutes(app: FastifyInstance, options: HealthOptions): void {
  const { ping, isStarting, isDraining, isOverloaded } = options
  app.get('/health/live', async () => ({ status: 'ok' }))

  app.get('/health/ready', async (_request, reply) => {
    if (isDraining()) return reply.code(503).send({ status: 'draining' })
    if (isStarting()) return reply.code(503).send({ status: 'starting' })
    if (isOverloaded()) return reply.code(503).send({ status: 'overloaded' })
    try {
      await ping()
    } catch {
      return reply.code(503).send({ status: 'store unavailable' })
    }
    return { status: 'ok' }
  })
}

type MetricsOptions = {
  readonly registry: Registry
  readonly access: Config['monitoring']['metrics']
  /** Failed authentications per peer; null if there are none to count. */
  readonly failures: FailedAttempts | null
}

/** Adds `GET /metrics` in the Prometheus format, with the configured access; adds no route if access is off. */
export function addMetricsRoute(app: FastifyInstance, { registry, access, failures }: MetricsOptions): void {
  if (access.kind === 'nobody') return
  app.get('/metrics', async ({ raw, ip }, reply) => {
    // With two lines, a proxy in front may have checked the other one: joined, they match no token.
    const authorization = raw.headersDistinct['authorization']?.join(', ')
    if (access.kind === 'token' && !equalsOneOf(bearerToken(authorization) ?? '', [access.token.reveal()])) {
      const peer = peerName(ip)
      if (authorization !== undefined && failures?.tooMany(peer) === true)
        return reply.code(429).header('retry-after', failures.retryAfter()).send(problem(429, failures.retryAfter()))
      if (authorization !== undefined) failures?.count(peer)
      return reply.code(401).header('www-authenticate', 'Bearer').send(problem(401))
    }
    return reply.type(registry.contentType).send(await registry.metrics())
  })
}
