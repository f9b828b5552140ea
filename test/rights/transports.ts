import type { Client as EventClient } from 'graphql-sse'
import { createClient, type Client } from 'graphql-ws'
import { WebSocket } from 'ws'
import { eventClient } from '../support/events.ts'
import type { Network } from '../support/network.ts'
import { ROUTER_SECRET, type CallerKind } from './callers.ts'
import type { GraphqlAnswer } from './cells.ts'

export type Operation = {
  readonly query: string
  readonly operationName?: string | undefined
  readonly variables: Readonly<Record<string, unknown>>
}

/** A caller's connection to the graph. */
export type Line = {
  /** Returns the answer to an operation; for a subscription its first item. */
  ask(operation: Operation): Promise<GraphqlAnswer>
  close(): Promise<void>
}

/** The items of one subscription. */
export type Following = {
  /** Returns the next item, or the rejection; null when the stream has ended. */
  next(): Promise<GraphqlAnswer | null>
}

export type StreamLine = Line & { follow(operation: Operation): Following }

export type Transport<Opened extends Line = Line> = {
  readonly name: string
  readonly open: (network: Network, caller: CallerKind) => Promise<Opened>
}

/** Every transport of queries and mutations. A new transport is added here, and must answer as the others do. */
export const TRANSPORTS: readonly Transport[] = [
  { name: 'HTTP', open: openHttp },
  { name: 'WebSocket', open: openWebSocket },
  { name: 'server-sent events', open: openEventStreams },
]

/** Every transport of subscriptions. */
export const STREAM_TRANSPORTS: readonly Transport<StreamLine>[] = [
  { name: 'WebSocket', open: openWebSocket },
  { name: 'server-sent events', open: openEventStreams },
]

async function openHttp(network: Network, caller: CallerKind): Promise<Line> {
  const token = await tokenOf(network, caller)
  return {
    ask: async ({ query, variables }) => {
      const headers = headersOf(caller)
      const { status, data, errors = [] } = await network.ask<unknown>(query, variables, { token, headers })
      return { status, data: data ?? null, errors } as GraphqlAnswer
    },
    close: async () => {},
  }
}

async function openWebSocket(network: Network, caller: CallerKind): Promise<StreamLine> {
  const token = await tokenOf(network, caller)
  const client = createClient({
    url: `${network.app.url.replace(/^http/, 'ws')}/graphql`,
    webSocketImpl: class extends WebSocket {
      constructor(address: string, protocol: string) {
        super(address, protocol, { headers: headersOf(caller) })
      }
    },
    connectionParams: token === null ? {} : { authorization: `Bearer ${token}` },
    lazy: false,
    retryAttempts: 0,
    onNonLazyError: () => {},
  })
  return lineOf(client)
}

async function openEventStreams(network: Network, caller: CallerKind): Promise<StreamLine> {
  const token = await tokenOf(network, caller)
  const authorization = token === null ? undefined : { authorization: `Bearer ${token}` }
  return lineOf(eventClient(network.app.url, async () => ({ ...headersOf(caller), ...authorization })))
}

function lineOf(client: AnyClient): StreamLine {
  return {
    ask: async (operation) => {
      const results = resultsOf(client, operation)
      const answer = await nextOf(results)
      await results.return?.()
      if (answer === null) throw new Error('An operation ended without an answer.')
      return answer
    },
    follow: (operation) => {
      const results = resultsOf(client, operation)
      return { next: () => nextOf(results) }
    },
    close: async () => client.dispose(),
  }
}

/** The official clients of both protocols return results of the same form. */
type AnyClient = Pick<Client | EventClient, 'iterate' | 'dispose'>
type Results = Pick<ReturnType<Client['iterate']>, 'next' | 'return'>

function resultsOf(client: AnyClient, { query, variables }: Operation): Results {
  return client.iterate({ query, variables: { ...variables } }) as Results
}

async function nextOf(results: Results): Promise<GraphqlAnswer | null> {
  try {
    const { value, done } = await results.next()
    return done === true ? null : { data: value.data ?? null, errors: value.errors ?? [] }
  } catch (reason) {
    // The client rejects with the list of errors of a rejected operation.
    if (Array.isArray(reason)) return { data: null, errors: reason as GraphqlAnswer['errors'] }
    throw reason
  }
}

/** Returns a token of the caller; null for a caller without one. */
export async function tokenOf(network: Network, { scopes, subject }: CallerKind): Promise<string | null> {
  return scopes === null ? null : network.token({ scopes, subject })
}

/** Returns the headers that a caller sends besides the token. */
export function headersOf({ router }: CallerKind): Record<string, string> {
  return router ? { 'x-router-secret': ROUTER_SECRET } : {}
}
