import type { FastifyInstance } from 'fastify'
import type { Registry } from 'prom-client'
import { bearerToken } from '../../access/bearer.ts'
import type { MetricsAccess } from '../../config/monitoring.ts'
import { equalsOneOf } from '../../keys/constant-time.ts'
import { problem } from '../server/problem.ts'

/** Adds `GET /metrics` in the Prometheus format, with the configured access; adds no route if access is off. */
export function addMetricsRoute(app: FastifyInstance, registry: Registry, access: MetricsAccess): void {
  if (access.kind === 'nobody') return
  app.get('/metrics', async ({ raw }, reply) => {
    // With two lines, a proxy in front may have checked the other one: joined, they match no token.
    const authorization = raw.headersDistinct['authorization']?.join(', ')
    if (access.kind === 'token' && !equalsOneOf(bearerToken(authorization) ?? '', [access.token.reveal()]))
      return reply.code(401).header('www-authenticate', 'Bearer').send(problem(401))
    return reply.type(registry.contentType).send(await registry.metrics())
  })
}
