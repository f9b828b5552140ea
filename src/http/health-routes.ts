import type { FastifyInstance } from 'fastify'

export type HealthOptions = {
  /** Rejects when the store does not answer. */
  readonly ping: () => Promise<void>
  readonly isDraining: () => boolean
  /** Whether there is too much to do for another GraphQL request. */
  readonly isOverloaded: () => boolean
}

/** Adds the probes for whoever runs the process. */
export function addHealthRoutes(app: FastifyInstance, { ping, isDraining, isOverloaded }: HealthOptions): void {
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
}
