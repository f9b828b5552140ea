import type { FastifyInstance } from 'fastify'

export type HealthOptions = {
  /** Whether the process still warms up: it answers, and slower than it will. */
  readonly isStarting: () => boolean
  /** Rejects when the store does not answer. */
  readonly ping: () => Promise<void>
  readonly isDraining: () => boolean
  /** Whether there is too much to do for another GraphQL request. */
  readonly isOverloaded: () => boolean
}

/** Adds the probes for whoever runs the process. */
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
