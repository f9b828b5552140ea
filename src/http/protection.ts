import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Caller } from '../access/caller.ts'
import type { HttpLimits } from '../config/http-limits.ts'
import { createFailedAttempts, type FailedAttempts } from './failed-attempts.ts'
import { guardGraphql } from './flood-guard.ts'
import { admitGraphql, type AdmitOptions } from './overload/admit-graphql.ts'
import { createOverload, type Overload } from './overload/overload.ts'

export type ProtectionOptions = Pick<AdmitOptions, 'addressOf' | 'readOperation' | 'isRecorded'> & {
  readonly limits: HttpLimits
  /** Rejects with an `InvalidTokenError` for a token that does not hold. */
  readonly authenticate: (request: IncomingMessage) => Promise<Caller>
  /** Whether a request has proved to come from the router. */
  readonly isRouter: (headers: IncomingHttpHeaders) => boolean
  readonly onTurnedAway: (reason: 'overload' | 'failed_authentication') => void
}

/** What stands between a server and its routes. */
export type Protection = {
  /** Reads the token of a request, once. Rejects with an `InvalidTokenError` when it does not hold. */
  readonly authenticate: (request: FastifyRequest) => Promise<Caller>
  /** Whose credentials did not hold, over GraphQL and webhooks together. */
  readonly failures: FailedAttempts
  readonly overload: Overload
}

/** Guards a server against more requests than it can answer, and against those of peers that cannot prove themselves. */
export function protect(app: FastifyInstance, options: ProtectionOptions): Protection {
  const { limits, isRouter, onTurnedAway } = options
  const overload = createOverload(app, {
    maxInFlight: limits.graphqlInFlight,
    onRefused: () => onTurnedAway('overload'),
  })
  const failures = createFailedAttempts({ limit: limits.failedAuthentications, clock: () => performance.now() })
  const onRefused = () => onTurnedAway('failed_authentication')
  const authenticate = oncePerRequest(
    guardGraphql(app, { failures, authenticate: options.authenticate, isRouter, onRefused }),
  )
  admitGraphql(app, { ...options, overload, authenticate })
  return { authenticate, failures, overload }
}

function oncePerRequest<Result>(work: (request: FastifyRequest) => Promise<Result>) {
  const results = new WeakMap<FastifyRequest, Promise<Result>>()
  return (request: FastifyRequest) => {
    const known = results.get(request)
    if (known !== undefined) return known
    const result = work(request)
    results.set(request, result)
    return result
  }
}
