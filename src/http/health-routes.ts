import type { FastifyInstance } from 'fastify'
import type { Registry } from 'prom-client'

export type HealthOptions = {
  /** Rejects when the store does not answer. */
  readonly ping: () => Promise<void>
  readonly isDraining: () => boolean
  /** Whether there is too much to do for another GraphQL request. */
  readonly isOverloaded: () => boolean
  readonly metrics: Registry
}

/** Probes for whoever runs the process, and its figures for Prometheus. */
export function addHealthRoutes(
  app: FastifyInstance,
  { ping, isDraining, isOverloaded, metrics }: HealthOptions,
): void {
  app.get('/health/live', async () => ({ status: 'ok' }))

  app.get('/health/ready', async (_request, reply) => {
    if (isDraining()) return reply.code(503).send({ status: 'draining' })
    if (isOverloaded()) return reply.code(503).send({ status: 'overloaded' })
    try {
      await ping()
    } catch {
      return reply.code(503).send({ status: 'store unavailable' })
    }
    return { status: 'ok' }
  })

  app.get('/metrics', async (_request, reply) => reply.type(metrics.contentType).send(await metrics.metrics()))
}
