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
  /** Address that a connection counts against; null if it is shared. */
  readonly addressOf: (request: IncomingMessage) => string | null
  readonly send: EarlyAnswers['send']
}

/**
 * Returns the handler that refuses GraphQL requests without a token before they are routed and their body is read. Such a request need not
 * be answered whatever its body says, and its client is identified by address. It refuses only requests that would be refused on
 * entry to the queue.
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

/** Whether a URL is one of the two addresses in their usual spelling. Others are routed, and refused later. */
function isGraphql(url: string): boolean {
  const end = url.indexOf('?')
  const path = end === -1 ? url : url.slice(0, end)
  return path === GRAPHQL_PATH || path === EVENTS_PATH
}
