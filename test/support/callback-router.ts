import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Item } from './stream.ts'

/** A message as the router received it. */
export type Told = {
  readonly path: string
  readonly protocol: string | undefined
  readonly kind: string
  readonly action: 'check' | 'next' | 'complete'
  readonly id: string
  readonly verifier: string
  readonly payload?: { readonly data?: Record<string, Item> | null; readonly errors?: readonly unknown[] }
  readonly errors?: readonly { readonly extensions?: { readonly code?: string } }[]
}

/** Answer of the router to a message: a status, a status with headers, or no answer. */
export type Reply = number | { readonly status: number; readonly headers: Readonly<Record<string, string>> } | 'silence'

export type CallbackRouter = {
  readonly origin: string
  /** All received messages, in order. */
  readonly told: readonly Told[]
  /** Returns the number of connections that were opened so far. */
  readonly connections: () => number
  /** Sets the function that decides the answer to each further message. */
  reply(decide: (told: Told) => Reply): void
  close(): Promise<void>
}

const ACCEPTED: Reply = { status: 204, headers: { 'subscription-protocol': 'callback/1.0' } }

/** Starts the router's side of the callback protocol. It accepts every message, unless `reply` sets other answers. */
export async function startCallbackRouter(): Promise<CallbackRouter> {
  const told: Told[] = []
  let connections = 0
  let decide: (message: Told) => Reply = () => ACCEPTED
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = JSON.parse(await text(request)) as Omit<Told, 'path' | 'protocol'>
    const message = { ...body, path: request.url ?? '', protocol: request.headers['subscription-protocol'] as string }
    told.push(message)
    const reply = decide(message)
    if (reply === 'silence') return
    const { status, headers } = typeof reply === 'number' ? { status: reply, headers: {} } : reply
    response.writeHead(status, headers).end()
  }
  const server = createServer((request, response) => void answer(request, response))
  server.on('connection', () => (connections += 1))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    told,
    connections: () => connections,
    reply: (next) => (decide = next),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export const accepted = (): Reply => ACCEPTED
