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
  /** Null: no token. */
  readonly token?: string | null
  readonly connectionParams?: Record<string, unknown>
  readonly headers?: Record<string, string>
}

export type Operation = { readonly query: string; readonly variables?: Record<string, unknown> }

/** One subscription of the official client. */
export type Stream = {
  /** All items that `next` and `until` have returned so far. */
  readonly items: readonly Item[]
  /** Waits for the next item; null if the stream has ended. Rejects with the errors or the close event. */
  next(): Promise<Item | null>
  /** Returns all items up to the first one that satisfies the predicate. Rejects if the stream ends before. */
  until(predicate: (item: Item) => boolean): Promise<Item[]>
  /** The close event of the socket. */
  readonly closed: Promise<{ code: number; reason: string }>
  /** Ends the subscription and its socket. */
  end(): Promise<void>
  /** Terminates the socket without a close frame. */
  cut(): void
  /** Stops reading from the socket, so that data queues up before it, until `resume`. */
  pause(): void
  resume(): void
}

/** A client whose socket carries any number of subscriptions. The socket opens with the first one, and closes with the last one. */
export type StreamClient = {
  follow(operation: Operation): Stream
  readonly closed: Promise<{ code: number; reason: string }>
  close(): Promise<void>
}

/** Opens one subscription on a separate socket. */
export function openStream(url: string, operation: Operation, options: StreamOptions): Stream {
  return openClient(url, options).follow(operation)
}

/** Creates the official client, without retries, so that tests can observe what happens to the socket. */
export function openClient(url: string, options: StreamOptions): StreamClient {
  const { token = null, connectionParams, headers = {} } = options
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
  return { closed, follow: (operation) => streamOf(client, operation, hold), close: async () => client.dispose() }
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

/** Throws a rejection as an `Error`: for a refused operation, the client rejects with a list of errors. */
function asStreamError(reason: unknown): never {
  throw Array.isArray(reason) ? new StreamError(reason as Errors) : reason
}

/** The errors of a refused subscription, or of an item that could not be created. */
export class StreamError extends Error {
  readonly errors: Errors

  constructor(errors: Errors) {
    super(errors.map(({ message }) => message).join('; '))
    this.errors = errors
  }
}
