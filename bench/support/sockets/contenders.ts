import { bearer } from '../client-token.ts'
import { jsonPost } from '../http/message.ts'
import { startPeer } from '../peers.ts'
import type { ServerProcess } from '../processes.ts'
import { type Crowd, startCrowd } from './crowd.ts'

const ITEM = `kind cursor event { id kind sequence fromStatus toStatus } link { id state payment { id status } }
  payment { id status phase version terminal }`

/** Subscriptions to one link, and to one payment. */
export const LINK_UPDATES = `subscription ($id: ID!) { paymentLinkUpdates(id: $id) { ${ITEM} } }`
export const PAYMENT_UPDATES = `subscription ($id: ID!) { paymentUpdates(id: $id) { ${ITEM} } }`

/** Settings of the product that allow ten thousand sockets of one token from this machine. */
export const SOCKET_SETTINGS = { SOCKET_LIMITS: 'perAddress=0,perSubject=0,streamsPerSubject=0' }

/** A server whose sockets are all open. */
export type SocketServer = { readonly name: string; readonly server: ServerProcess; readonly crowd: Crowd }

/** Opens one socket with one subscription for each topic. Sockets of the server without GraphQL only receive. */
export async function openSockets(
  name: string,
  server: ServerProcess,
  { topics, query, cleanUp }: { topics: readonly string[]; query: string; cleanUp: AsyncDisposableStack },
): Promise<SocketServer> {
  const subscription = name === 'ws' ? null : { query, authorization: bearer('payments:read') }
  const crowd = await startCrowd({ url: server.url, subscription }, cleanUp)
  await crowd.open(topics)
  return { name, server, crowd }
}

/** Starts a peer that serves sockets. */
export function startSocketPeer(name: 'ws' | 'graphql-ws', cleanUp: AsyncDisposableStack): Promise<ServerProcess> {
  return startPeer(name, { cleanUp })
}

/** Returns a request that makes a peer publish the event of the product's frame: `ws` the unchanged frame, `graphql-ws` its item. */
export function eventRequest(peer: string, topic: string, frame: string): string {
  const { data } = (JSON.parse(frame) as { payload: { data: Record<string, unknown> } }).payload
  const body = peer === 'ws' ? frame : JSON.stringify(Object.values(data)[0])
  return jsonPost({ path: `/event?topic=${topic}`, headers: {}, body })
}
