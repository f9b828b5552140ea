import type { FastifyInstance } from 'fastify'

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
