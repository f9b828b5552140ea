import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Caller } from '../../access/caller.ts'
import type { HttpLimits } from '../../config/http-limits.ts'
import { addGraphqlHooks } from '../graphql/graphql-addresses.ts'
import { createFailedAttempts, type FailedAttempts } from '../limits/failed-attempts.ts'
import { createFloodGuard } from '../limits/flood-guard.ts'
import { createAdmission, type AdmissionOptions } from '../overload/admit-graphql.ts'
import { createOverload, type Overload } from '../overload/overload.ts'
import type { CallerReader } from './client-caller.ts'

export type ProtectionOptions = Pick<AdmissionOptions, 'addressOf' | 'readOperation' | 'isRecorded'> & {
  readonly limits: HttpLimits
  readonly callerOf: CallerReader
  /** Whether a request has proved to come from the router. */
  readonly isRouter: (headers: IncomingHttpHeaders) => boolean
  readonly onTurnedAway: (reason: 'overload' | 'failed_authentication') => void
}

/** What stands between a server and its routes. */
export type Protection = {
  /** The caller of a request, read once; a promise when its token was not verified before, which rejects when it is not valid. */
  readonly callerOf: (request: FastifyRequest) => Caller | Promise<Caller>
  /** Whose credentials did not hold, over GraphQL and webhooks together. */
  readonly failures: FailedAttempts
  readonly overload: Overload
}

/**
 * Guards a server against more requests than it can answer, and against those of peers that cannot prove themselves. Called before
 * the routes are added.
 */
export function protect(app: FastifyInstance, options: ProtectionOptions): Protection {
  const { limits, isRouter, onTurnedAway } = options
  const overload = createOverload(app, {
    maxInFlight: limits.graphqlInFlight,
    onRefused: () => onTurnedAway('overload'),
  })
  const failures = createFailedAttempts({ limit: limits.failedAuthentications, clock: () => performance.now() })
  const onRefused = () => onTurnedAway('failed_authentication')
  const guard = createFloodGuard({ failures, callerOf: options.callerOf, isRouter, onRefused })
  const admission = createAdmission({ ...options, overload, callerOf: guard.callerOf })
  app.decorateRequest('caller', null).decorateRequest('endAdmission', null)
  addGraphqlHooks(app, { ...admission, onRequest: [guard.onRequest, admission.onRequest] })
  return { callerOf: guard.callerOf, failures, overload }
}
