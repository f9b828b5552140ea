import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Caller } from '../access/caller.ts'
import type { HttpLimits } from '../config/http-limits.ts'
import { createFailedAttempts, type FailedAttempts } from './failed-attempts.ts'
import { guardGraphql } from './flood-guard.ts'
import { watchLoad } from './load.ts'
import { shedGraphql, type Shedding } from './shedding.ts'
import { createTurns } from './turns.ts'

export type ProtectionOptions = {
  readonly limits: HttpLimits
  /** Rejects with an `InvalidTokenError` for a token that does not hold. */
  readonly authenticate: (request: IncomingMessage) => Promise<Caller>
  /** Whether a request has proved to come from the router. */
  readonly isRouter: (headers: IncomingHttpHeaders) => boolean
  readonly onTurnedAway: (reason: 'overload' | 'failed_authentication') => void
}

/** What stands between a server and its routes. */
export type Protection = Shedding & {
  readonly authenticate: (request: FastifyRequest) => Promise<Caller>
  /** Whose credentials did not hold, over GraphQL and webhooks together. */
  readonly failures: FailedAttempts
  /** Resolves when the event loop has a turn for one more operation that came over a connection which stays. */
  readonly turn: () => Promise<void>
}

/** Guards a server against more requests than it can answer, and against those of peers that cannot prove themselves. */
export function protect(app: FastifyInstance, options: ProtectionOptions): Protection {
  const { limits, authenticate, isRouter, onTurnedAway } = options
  const turns = createTurns(app.server)
  const load = watchLoad(limits.eventLoopDelayMs)
  app.addHook('onClose', async () => load.close())
  const shedding = shedGraphql(app, {
    load,
    turns,
    maxInFlight: limits.graphqlInFlight,
    onShed: () => onTurnedAway('overload'),
  })
  const failures = createFailedAttempts({ limit: limits.failedAuthentications, clock: () => performance.now() })
  const onRefused = () => onTurnedAway('failed_authentication')
  return {
    ...shedding,
    authenticate: guardGraphql(app, { failures, authenticate, isRouter, onRefused }),
    failures,
    turn: () => new Promise((resolve) => turns.operations.begin(resolve)),
  }
}
