import { openEvents } from './events.ts'
import type { Network } from './network.ts'
import { greetedSocket } from './socket.ts'

/** An operation as it is sent, valid or not. */
export type Sent = Readonly<Record<string, unknown>>

/** Answer to an operation. */
export type Reply = {
  readonly data?: unknown
  readonly errors?: readonly {
    readonly message: string
    readonly path?: readonly unknown[]
    readonly extensions?: Readonly<Record<string, unknown>>
  }[]
}

export type Transport = {
  readonly name: string
  /** Sends an operation with the rights of a token. Returns the first answer. */
  readonly run: (network: Network, operation: Sent, token: string | null) => Promise<Reply>
}

/** The transports of operations. */
export const TRANSPORTS: readonly Transport[] = [
  { name: 'HTTP', run: overHttp },
  { name: 'WebSocket', run: overSocket },
  { name: 'server-sent events', run: overEvents },
]

async function overHttp(network: Network, operation: Sent, token: string | null): Promise<Reply> {
  const response = await fetch(`${network.app.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token === null ? {} : { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(operation),
  })
  return (await response.json()) as Reply
}

async function overSocket(network: Network, operation: Sent, token: string | null): Promise<Reply> {
  const socket = await greetedSocket(network.app.url, token === null ? {} : { token })
  socket.send({ id: '1', type: 'subscribe', payload: { query: '', ...operation } })
  const { type, payload } = await socket.next()
  socket.close()
  return type === 'error' ? { errors: payload as NonNullable<Reply['errors']> } : (payload as Reply)
}

async function overEvents(network: Network, operation: Sent, token: string | null): Promise<Reply> {
  const headers = token === null ? {} : { authorization: `Bearer ${token}` }
  const response = await openEvents(network.app.url, { operation, headers })
  // A request that cannot be read is answered in JSON.
  const { data } = response.isStream ? ((await response.next()) ?? { data: 'null' }) : { data: await response.body() }
  response.cut()
  return JSON.parse(data) as Reply
}
