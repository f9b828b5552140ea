import type { Network } from '../support/network.ts'
import { greetedSocket } from '../support/socket.ts'
import { TRANSPORTS, type Reply } from '../support/transports.ts'
import type { RandomOperation } from './random-operation.ts'

/** Sends one operation at a time and returns the first answer to each. */
export type Sender = { readonly send: (operation: RandomOperation) => Promise<Reply>; readonly close: () => void }

/** Settings that let one socket carry all operations without a rejection by its rate limits. */
export const ROOM = { SOCKET_LIMITS: 'operationsPerSecond=1000000,messagesPerSecond=1000000,bytesPerSecond=100000000' }

/** Creates a sender for each transport. The one for WebSocket uses one socket for all operations. */
export async function openSenders(network: Network, token: string): Promise<Sender[]> {
  const [http] = TRANSPORTS
  if (http === undefined) throw new Error('There is no transport.')
  return [
    { send: (operation) => http.run(network, operation, token), close: () => {} },
    await socketSender(network, token),
  ]
}

async function socketSender(network: Network, token: string): Promise<Sender> {
  const socket = await greetedSocket(network.app.url, { token })
  let count = 0
  return {
    async send(operation) {
      const id = String((count += 1))
      socket.send({ id, type: 'subscribe', payload: operation })
      for (;;) {
        const message = await socket.next()
        if (message.id !== id) continue
        if (message.type === 'error') return { errors: message.payload as NonNullable<Reply['errors']> }
        if (message.type === 'complete') return {}
        socket.send({ id, type: 'complete' })
        return message.payload as Reply
      }
    },
    close: () => socket.close(),
  }
}
