import type { IncomingMessage } from 'node:http'
import type { Caller } from '../../access/caller.ts'
import type { HttpConfig } from '../../config.ts'
import type { ShareCounts } from '../../redis/shared-counts.ts'
import { createFailedAttempts, type FailedAttempts } from '../limits/failed-attempts.ts'
import type { CallerReader, RouterCheck } from '../server/client-caller.ts'
import type { Exchange } from '../server/graphql-exchange.ts'
import type { HttpServer } from '../server/server.ts'
import { type Admit, createAdmission } from './admit-graphql.ts'
import { createFloodGuard, type FloodGuard } from './flood-guard.ts'
import { createOverload, type Overload } from './overload.ts'

export type ProtectionOptions = {
  readonly limits: HttpConfig['limits']
  /** Address that a connection counts against; null if it is shared. */
  readonly addressOf: (request: IncomingMessage) => string | null
  readonly callerOf: CallerReader
  /** The name under which a peer is counted. */
  readonly peerOf: (request: IncomingMessage) => string
  /** Whether a request is proved to come from the router. */
  readonly isRouter: RouterCheck
  /** Shares failed authentications with other nodes. */
  readonly shareCounts: ShareCounts
  readonly onTurnedAway: (reason: 'overload' | 'failed_authentication') => void
}

/** The checks between a server and its routes. */
export type Protection = {
  /** Returns the caller of a request; a promise if its token has to be verified first, which rejects if the token is not valid. */
  readonly callerOf: (exchange: Exchange) => Caller | Promise<Caller>
  /** Returns the refusal of a GraphQL request of a peer whose authentication fails repeatedly; null for others. */
  readonly refusalOf: FloodGuard['refusalOf']
  readonly admit: Admit
  /** Failed authentications per peer, over GraphQL and webhooks together. */
  readonly failures: FailedAttempts
  readonly overload: Overload
}

/**
 * Protects a server against overload, and against peers whose authentication fails repeatedly.
 */
export function protect({ server, send }: Pick<HttpServer, 'server' | 'send'>, options: ProtectionOptions): Protection {
  const { limits, isRouter, onTurnedAway } = options
  // Many clients share the address of a router.
  const addressOf = (request: IncomingMessage) => (isRouter(request) ? null : options.addressOf(request))
  const overload = createOverload(server, {
    maxInFlight: limits.graphqlInFlight,
    onRefused: () => onTurnedAway('overload'),
  })
  const failures = createFailedAttempts({
    limit: limits.failedAuthentications,
    clock: () => performance.now(),
    shared: options.shareCounts('failed-authentications', limits.failedAuthentications),
  })
  const onRefused = () => onTurnedAway('failed_authentication')
  const { callerOf, refusalOf } = createFloodGuard({ ...options, failures, onRefused })
  return {
    callerOf,
    refusalOf,
    admit: createAdmission({ overload, callerOf, addressOf, send }),
    failures,
    overload,
  }
}
