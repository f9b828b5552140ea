import { randomUUID } from 'node:crypto'
import { type Network, startNetwork } from './network.ts'
import type { Stream } from './stream.ts'
import { EVENT_STREAM, isCaughtUp, isReceived, PAYMENT_UPDATES, sequences } from './streams.ts'
import { defaultAddress, deliver, paymentBody } from './webhooks.ts'

/** Milliseconds; longer than any test, so that only a wake-up tells a node of another one's events. */
const NEVER_MS = 600_000

/** Two nodes on one database, each with its own HTTP server and its own sandbox. */
export type Nodes = { readonly first: Network; readonly second: Network; close(): Promise<void> }

/** Starts two nodes. By default they do not poll the log. */
export async function startNodes(env: Readonly<Record<string, string>>, pollMs = NEVER_MS): Promise<Nodes> {
  const start = () => startNetwork({ env, tail: { pollMs } })
  const first = await start()
  const second = await start()
  return { first, second, close: async () => void (await Promise.all([first.close(), second.close()])) }
}

/** A payment that one node receives webhooks for, and that a subscriber of another node follows. */
export type FollowedPayment = {
  readonly id: string
  readonly stream: Stream
  /** Sends a status to the first node and returns the status of the response. */
  send(status: string): Promise<number>
}

/** Creates a payment at a node, and follows it at another. */
export async function followPayment(at: Network, from: Network): Promise<FollowedPayment> {
  const id = randomUUID()
  const send = async (status: string) => (await deliver(defaultAddress(at), paymentBody({ uuid: id, status }))).status
  await send('pending')
  const stream = await from.follow(PAYMENT_UPDATES, { id })
  await stream.until(isCaughtUp)
  return { id, stream, send }
}

/** Follows the whole log at a node. */
export async function followLog(at: Network): Promise<Stream> {
  const stream = await at.follow(EVENT_STREAM)
  await stream.until(isCaughtUp)
  return stream
}

/**
 * Sends the last status to the first node, and waits until the subscriber of the other one is told. Returns the sequence numbers of all
 * events that the subscriber was told; 2 is the first.
 */
export async function receiveThere({ send, stream }: FollowedPayment): Promise<number[]> {
  await send('received')
  await stream.until(isReceived)
  return sequences(stream.items)
}
