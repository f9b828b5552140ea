import { createClient, type Client } from 'graphql-ws'
import { WebSocket } from 'ws'

export type Item = {
  readonly kind: 'SNAPSHOT' | 'EVENT' | 'CAUGHT_UP' | 'RESYNC_REQUIRED'
  readonly cursor: string
  readonly previousCursor: string | null
  readonly resyncReason?: string | null
  readonly event?: EventItem | null
  readonly link?: { readonly id: string; readonly state: string; readonly payment: PaymentItem | null } | null
  readonly payment?: PaymentItem | null
  readonly agreement?: PaymentItem | null
}

export type EventItem = {
  readonly id: string
  readonly kind: string
  readonly sequence: number
  readonly cursor: string
  readonly source: string
  readonly fromStatus: string | null
  readonly toStatus: string | null
}

export type PaymentItem = { readonly id: string; readonly status: string; readonly version: number }

export type StreamOptions = {
  /** Null for none. */
  readonly token?: string | null
  readonly connectionParams?: Record<string, unknown>
  readonly headers?: Record<string, string>
}

export type Operation = { readonly query: string; readonly variables?: Record<string, unknown> }

/** One subscription, as the official client gives it. */
export type Stream = {
  /** Everything that came so far. */
  readonly items: readonly Item[]
  /** Waits for the next item; null when the stream has ended. Rejects with the errors or the close event. */
  next(): Promise<Item | null>
  /** Takes items up to one that satisfies the predicate, and gives all that were taken. */
  until(predicate: (item: Item) => boolean): Promise<Item[]>
  /** The close event of the socket. */
  readonly closed: Promise<{ code: number; reason: string }>
  /** Ends the subscription and its socket. */
  end(): Promise<void>
  /** Cuts the socket without a word. */
  cut(): void
  /** Stops reading from the socket, so that everything waits before it, and goes on. */
  pause(): void
  resume(): void
}

/** One socket for any number of subscriptions. It opens with the first of them, and closes with the last. */
export type StreamClient = {
  follow(operation: Operation): Stream
  readonly closed: Promise<{ code: number; reason: string }>
  close(): Promise<void>
}

/** One subscription on a socket of its own. */
export function openStream(url: string, operation: Operation, options: StreamOptions): Stream {
  return openClient(url, options).follow(operation)
}

/** The official client, without retries: what happens to its socket is for the test to see. */
export function openClient(url: string, { token = null, connectionParams, headers = {} }: StreamOptions): StreamClient {
  const { promise: closed, resolve: onClosed } = Promise.withResolvers<{ code: number; reason: string }>()
  const sockets: WebSocket[] = []
  const client: Client = createClient({
    url: `${url.replace(/^http/, 'ws')}/graphql`,
    webSocketImpl: class extends WebSocket {
      constructor(address: string, protocol: string) {
        super(address, protocol, { headers })
        sockets.push(this)
      }
    },
    connectionParams: connectionParams ?? (token === null ? {} : { authorization: `Bearer ${token}` }),
    retryAttempts: 0,
    on: { closed: (event) => onClosed(event as { code: number; reason: string }) },
  })
  const hold = {
    closed,
    cut: () => sockets.forEach((socket) => socket.terminate()),
    pause: () => sockets.forEach((socket) => socket.pause()),
    resume: () => sockets.forEach((socket) => socket.resume()),
  }
  return {
    closed,
    follow: (operation) => streamOf(client, operation, hold),
    close: async () => client.dispose(),
  }
}

function streamOf(
  client: Client,
  { query, variables = {} }: Operation,
  socket: Pick<Stream, 'closed' | 'cut' | 'pause' | 'resume'>,
): Stream {
  const items: Item[] = []
  const results = client.iterate<Record<string, Item>>({ query, variables })

  const next = async (): Promise<Item | null> => {
    const { value, done } = await results.next().catch(asStreamError)
    if (done === true) return null
    if (value.errors !== undefined) throw new StreamError(value.errors)
    const item = Object.values(value.data ?? {})[0]
    if (item === undefined) throw new Error('An item without data came.')
    items.push(item)
    return item
  }

  return {
    ...socket,
    items,
    next,
    async until(predicate) {
      const taken: Item[] = []
      for (;;) {
        const item = await next()
        if (item === null) throw new Error(`The stream ended after ${JSON.stringify(taken)}.`)
        taken.push(item)
        if (predicate(item)) return taken
      }
    },
    async end() {
      await results.return?.()
      await client.dispose()
    },
  }
}

type Errors = readonly { readonly message: string; readonly extensions?: Record<string, unknown> }[]

/** The client rejects with the list of errors of a refused operation, which is no error by itself. */
function asStreamError(reason: unknown): never {
  throw Array.isArray(reason) ? new StreamError(reason as Errors) : reason
}

/** What a subscription that was refused, or an item that could not be made, says. */
export class StreamError extends Error {
  readonly errors: Errors

  constructor(errors: Errors) {
    super(errors.map(({ message }) => message).join('; '))
    this.errors = errors
  }
}
