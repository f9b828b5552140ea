import type { IncomingMessage, ServerResponse } from 'node:http'
import { ANONYMOUS } from '../../access/caller.ts'
import { EVENTS_PATH, GRAPHQL_PATH } from '../graphql/graphql-addresses.ts'
import type { EarlyAnswers } from '../server/early-answers.ts'
import { faultOf } from '../server/request-fault.ts'
import { clientKey, peerKey } from './client-key.ts'
import type { Overload } from './overload.ts'
import { overloadedAnswer } from './overloaded-answer.ts'

export type EarlyRefusalOptions = {
  readonly overload: Overload
  /** Whose connection it is; null for one that is nobody's. */
  readonly addressOf: (request: IncomingMessage) => string | null
  readonly send: EarlyAnswers['send']
}

/**
 * Returns the early handler that refuses GraphQL requests without a token, before they are routed and their body is read: such a
 * request need not be answered whatever its body says, and its client is told by its address. It takes a request only when
 * that would itself be the one to be refused after it had entered the queue.
 */
export function createEarlyRefusal({ overload, addressOf, send }: EarlyRefusalOptions) {
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    if (!overload.isFull('queries') || request.headers.authorization !== undefined) return false
    const { method, url = '', rawHeaders } = request
    if ((method !== 'POST' && method !== 'GET') || !isGraphql(url) || faultOf(url, rawHeaders) !== null) return false
    const client = clientKey(ANONYMOUS, () => peerKey(addressOf(request), request))
    return overload.refuse('queries', client, () => send(request, response, overloadedAnswer()))
  }
}

/** Whether a URL is one of the two addresses as clients write them. Any other spelling is routed, and refused after that. */
function isGraphql(url: string): boolean {
  const end = url.indexOf('?')
  const path = end === -1 ? url : url.slice(0, end)
  return path === GRAPHQL_PATH || path === EVENTS_PATH
}
