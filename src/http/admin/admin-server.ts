import type { Registry } from 'prom-client'
import { closeHttpServer, createHttpServer, type HttpServerOptions } from '../server/server.ts'
import { addHealthRoutes, type HealthOptions } from './health-routes.ts'
import { addMetricsRoute } from './metrics-route.ts'

export type AdminServer = {
  /** Gives the URL where it listens. Rejects with the system's error. */
  listen(): Promise<string>
  /** Answers what is under way, for at most half a second. */
  close(): Promise<void>
}

export type AdminServerOptions = {
  readonly address: { readonly host: string; readonly port: number }
  readonly server: Omit<HttpServerOptions, 'isRouter' | 'onTurnedAway'>
  readonly health: HealthOptions
  readonly registry: Registry
}

const CLOSE_MS = 500

/** Probes and metrics on a port of their own, for those who run the process: no page may call it, and no client knows it. */
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
