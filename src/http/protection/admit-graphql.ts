import type { IncomingMessage } from 'node:http'
import { ANONYMOUS, type Caller } from '../../access/caller.ts'
import type { Exchange } from '../server/graphql-exchange.ts'
import { type HttpAnswer, type HttpSender } from '../server/http-answer.ts'
import { problemAnswer } from '../server/problem.ts'
import type { ClientKey } from './client-queue.ts'
import { type Overload, retryAfterS } from './overload.ts'

type AdmissionOptions = {
  readonly overload: Overload
  /** The caller of a request; a promise, which may reject, if its token is verified for the first time. */
  readonly callerOf: (exchange: Exchange) => Caller | Promise<Caller>
  /** Address that a connection counts against; null if it is shared. */
  readonly addressOf: (request: IncomingMessage) => string | null
  readonly send: HttpSender['send']
}

/** Queues a GraphQL request whose body has been read, so that slow senders take no place; `begin` is called when it may begin. */
export type Admit = (exchange: Exchange, begin: () => void) => void

/** Milliseconds until a refusal is sent: otherwise clients that ask again at once would use the CPU time of the others. */
const HOLD_MS = 1_000

export function createAdmission({ overload, callerOf, addressOf, send }: AdmissionOptions): Admit {
  const enter = (exchange: Exchange, caller: Caller, begin: () => void) => {
    const { request, response, body } = exchange
    overload.enter({
      client: clientKey(caller, () => connectionName(addressOf(request), request)),
      bytes: body?.length ?? 0,
      isPatient: false,
      isWanted: () => !response.destroyed,
      start(turn) {
        exchange.turn = turn
        begin()
      },
      refuse: () => void setTimeout(() => send(request, response, overloadedAnswer()), HOLD_MS),
    })
  }
  return (exchange, begin) => {
    const caller = callerOf(exchange)
    if (!(caller instanceof Promise)) return enter(exchange, caller, begin)
    const as = (known: Caller) => enter(exchange, known, begin)
    // An invalid token is reported when the request begins.
    return void caller.then(as, () => as(ANONYMOUS))
  }
}

/** Returns by whom a request is counted: its token's identity, otherwise its connection as `connectionName` returns it. */
export function clientKey(caller: Caller, nameOfConnection: () => string): ClientKey {
  if (caller.kind === 'anonymous') return { name: nameOfConnection(), hasToken: false }
  const { identity } = caller
  return { name: identity === null ? `a token at ${nameOfConnection()}` : `caller ${identity}`, hasToken: true }
}

/**
 * Returns the name by which requests without a token are counted: the address, or, if `address` is null because it is shared (a proxy, a
 * router, this machine), the connection.
 */
export function connectionName(address: string | null, { socket }: IncomingMessage): string {
  return address === null ? `connection ${socket.remoteAddress ?? ''} ${socket.remotePort ?? ''}` : `address ${address}`
}

/** By the seconds after which a client may retry. Made once each, because they are sent often when CPU time is scarce. */
const ANSWERS = new Map<number, HttpAnswer>()

/** Returns the HTTP response to a refused request. */
function overloadedAnswer(): HttpAnswer {
  const seconds = retryAfterS()
  const answer = ANSWERS.get(seconds) ?? problemAnswer(503, { retryAfterS: seconds })
  ANSWERS.set(seconds, answer)
  return answer
}
