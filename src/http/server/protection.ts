import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { Caller } from '../../access/caller.ts'
import type { HttpLimits } from '../../config/limits.ts'
import type { ShareCounts } from '../../redis/shared-counts.ts'
import { addGraphqlHooks } from '../graphql/graphql-body.ts'
import { createFailedAttempts, type FailedAttempts, createFloodGuard } from '../limits/flood-guard.ts'
import { createAdmission, type OverloadAdmissionOptions, createEarlyRefusal } from '../overload/admit-graphql.ts'
import { createOverload, type Overload } from '../overload/overload.ts'
import type { CallerReader } from './client-caller.ts'
import type { HttpServer } from './server.ts'

export type ProtectionOptions = Pick<OverloadAdmissionOptions, 'addressOf' | 'readOperation' | 'isRecorded'> & {
  readonly limits: HttpLimits
  readonly callerOf: CallerReader
  /** Whether a request is proved to come from the router. */
  readonly isRouter: (headers: IncomingHttpHeaders) => boolean
  /** Shares failed authentications with other nodes. */
  readonly shareCounts: ShareCounts
  readonly onTurnedAway: (reason: 'overload' | 'failed_authentication') => void
}

/** The checks between a server and its routes. */
export type Protection = {
  /** Returns the caller of a request; a promise if its token has to be verified first, which rejects if the token is not valid. */
  readonly callerOf: (request: FastifyRequest) => Caller | Promise<Caller>
  /** Failed authentications per peer, over GraphQL and webhooks together. */
  readonly failures: FailedAttempts
  readonly overload: Overload
}

/**
 * Protects a server against overload, and against peers whose authentication fails repeatedly. Called before the routes are
 * added.
 */
export function protect(
  { http: app, earlyAnswers }: Pick<HttpServer, 'http' | 'earlyAnswers'>,
  options: ProtectionOptions,
): Protection {
  const { limits, addressOf, isRouter, onTurnedAway } = options
  const { send } = earlyAnswers
  const overload = createOverload(app, {
    maxInFlight: limits.graphqlInFlight,
    onRefused: () => onTurnedAway('overload'),
  })
  const failures = createFailedAttempts({
    limit: limits.failedAuthentications,
    clock: () => performance.now(),
    shared: options.shareCounts('failed-authentications', limits.failedAuthentications),
  })
  const onRefused = () => onTurnedAway('failed_authentication')
  const guard = createFloodGuard({ failures, callerOf: options.callerOf, isRouter, onRefused })
  const admission = createAdmission({ ...options, overload, send, callerOf: guard.callerOf })
  earlyAnswers.setHandler(createEarlyRefusal({ overload, addressOf, send }))
  app.decorateRequest('caller', null).decorateRequest('endAdmission', null)
  addGraphqlHooks(app, { ...admission, onRequest: [guard.onRequest] })
  return { callerOf: guard.callerOf, failures, overload }
}
