import { CLOSING, type Closing, type Connection, type SocketHandlers } from 'graphql-sockets'
import { ANONYMOUS, type Caller, expired, TokenKeysUnavailableError } from '../../access/caller.ts'
import type { TokenVerifier } from '../../access/verify-token.ts'
import type { Engine } from '../../graphql/engine/engine.ts'
import type { Logger } from '../../observability/logger.ts'
import type { TurnedAway } from '../../observability/metrics/metrics.ts'
import type { TokenEndReason, TokenEnds, TokenHolder } from '../connections/token-end.ts'
import { type ConcurrencyLimiter } from '../limits/concurrency-limiter.ts'
import { type FailedAttempts } from '../limits/failed-attempts.ts'
import { clientKey } from '../protection/admit-graphql.ts'
import { isGuess } from '../protection/flood-guard.ts'
import { overloadedError, type Overload } from '../protection/overload.ts'
import { connectionToken } from '../server/client-caller.ts'

/** Dependencies that all sockets of a process share. */
export type SessionParts = {
  readonly engine: Engine
  readonly verifier: Pick<TokenVerifier, 'verify'>
  readonly tokenEnds: TokenEnds
  readonly overload: Overload
  /** Limiters of sockets per address and per caller. */
  readonly addresses: ConcurrencyLimiter
  readonly subjects: ConcurrencyLimiter
  /** Failed authentications per peer, over every transport together. */
  readonly failures: FailedAttempts
  readonly onTurnedAway: (reason: TurnedAway) => void
  readonly logger: Logger
  readonly clock: () => Date
}

/** What is kept of a peer's upgrade request. The request itself is not kept: its headers take several kilobytes. */
export type SocketPeer = {
  /** Null if the address is shared (a proxy, a router, this machine). */
  readonly address: string | null
  /** Key for its limits if it has no token. */
  readonly peer: string
  /** The name under which its failed authentications are counted. */
  readonly name: string
  /** The request has the router's secret. */
  readonly isRouter: boolean
  /** The same, or no router secret is configured. */
  readonly fromRouter: boolean
}

/** Close codes and reasons of a socket whose token is not valid, or not any more. */
const CLOSED_BY_TOKEN = {
  expired: [4403, 'Token expired'],
  forbidden: [4403, 'Forbidden'],
  withdrawn: [4403, 'Token no longer valid'],
  unauthorized: [4401, 'Token not valid'],
} as const satisfies Record<string, Closing>

/** What is kept of a socket: its peer, and its caller once it has been greeted. */
export class SocketSession implements TokenHolder {
  caller: Caller = ANONYMOUS
  token: string | null = null
  readonly connection: Connection
  readonly peer: SocketPeer
  /** Of the upgrade request; dropped once it was read, because it is long. */
  authorization: readonly string[] | undefined

  constructor(connection: Connection, peer: SocketPeer, authorization: readonly string[] | undefined) {
    this.connection = connection
    this.peer = peer
    this.authorization = authorization
  }

  onTokenEnd(reason: TokenEndReason | 'forbidden'): void {
    this.connection.close(...this.closingFor(reason))
  }

  /**
   * After 4403 the official client reconnects with a new token. A router has only the token of this socket: it would retry for half a
   * minute without telling its client, so it gets 4401.
   */
  closingFor(reason: TokenEndReason | 'forbidden'): Closing {
    return CLOSED_BY_TOKEN[this.peer.isRouter ? 'unauthorized' : reason]
  }
}

/** Returns what the subgraph does for its sockets. */
export function createSocketHandlers(parts: SessionParts): SocketHandlers<SocketSession> {
  const { engine, overload, tokenEnds, addresses, subjects, clock } = parts
  return {
    async greet(session, payload) {
      const token = connectionToken(payload, { authorization: session.authorization })
      session.authorization = undefined
      return token === null || authenticate(parts, session, token)
    },
    run: ({ caller, peer }, payload, { text, isWanted, admit }) =>
      new Promise((resolve, reject) => {
        overload.enter({
          client: clientKey(caller, () => peer.peer),
          bytes: text.length,
          isPatient: true,
          isWanted,
          start: (turn) =>
            void engine
              .run(payload, { caller, fromRouter: peer.fromRouter, refuse: (kind) => admit(kind) ?? turn.settle(kind) })
              // It takes its place until its answer is made, whether the peer reads it or not.
              .finally(turn.end)
              .then(resolve, reject),
          refuse: () => resolve(engine.refuse([overloadedError()])),
        })
      }),
    // A stream that ends with its token must not look complete: the close code makes the client reconnect for the rest.
    closingAtEnd: (session) => (expired(session.caller, clock().getTime()) ? session.closingFor('expired') : null),
    closed(session) {
      const { caller, peer } = session
      tokenEnds.unwatch(session)
      if (peer.address !== null && !peer.isRouter) addresses.release(peer.address)
      if (caller.kind === 'client' && caller.identity !== null) subjects.release(caller.identity)
    },
  }
}

async function authenticate(parts: SessionParts, session: SocketSession, token: string): Promise<boolean> {
  const { verifier, subjects, tokenEnds, logger } = parts
  const { connection, peer } = session
  try {
    const caller = await verifier.verify(token)
    // The socket may have closed in the meantime; then nothing may be acquired for it.
    if (!connection.isOpen) return false
    if (caller.identity !== null && !subjects.acquire(caller.identity)) {
      parts.onTurnedAway('sockets_per_caller')
      logger.warn({ reason: 'subject' }, 'a socket was refused: too many are open')
      connection.close(...CLOSING.overload)
      return false
    }
    session.caller = caller
    session.token = token
    tokenEnds.watch(session)
    return true
  } catch (error) {
    // The token could not be verified: the client should retry, and is not refused.
    if (error instanceof TokenKeysUnavailableError) connection.close(...CLOSING.overload)
    else if (isGuess(error) && !peer.isRouter) onGuess(parts, session)
    else session.onTokenEnd('forbidden')
    return false
  }
}

/** Counts a token that was never issued. Above the limit of its peer, the close code tells the client not to connect again. */
function onGuess({ failures, onTurnedAway }: SessionParts, session: SocketSession): void {
  const { name } = session.peer
  if (!failures.tooMany(name)) {
    failures.count(name)
    return session.onTokenEnd('forbidden')
  }
  onTurnedAway('failed_authentication')
  session.connection.close(...CLOSING.flood)
}
