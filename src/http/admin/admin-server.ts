import type { Registry } from 'prom-client'
import { closeHttpServer, createHttpServer, type HttpServerOptions } from '../server/server.ts'
import { addHealthRoutes, type HealthOptions } from './health-routes.ts'
import { addMetricsRoute } from './metrics-route.ts'

export type AdminServer = {
  /** Returns the URL on which it listens. Rejects with the system's error. */
  listen(): Promise<string>
  /** Stops the server; requests in progress have half a second to be answered. */
  close(): Promise<void>
}

export type AdminServerOptions = {
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
  addMetricsRoute(http, registry, { kind: 'everybody' })
  return { listen: () => http.listen({ ...address }), close: () => closeHttpServer(http, connections, CLOSE_MS) }
}
