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
}

export function openStream(
  url: string,
  operation: { query: string; variables: Record<string, unknown> },
  { token = null, connectionParams, headers = {} }: StreamOptions,
): Stream {
  const items: Item[] = []
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
  const results = client.iterate<Record<string, Item>>(operation)

  const next = async (): Promise<Item | null> => {
    const { value, done } = await results.next()
    if (done === true) return null
    if (value.errors !== undefined) throw new StreamError(value.errors)
    const item = Object.values(value.data ?? {})[0]
    if (item === undefined) throw new Error('An item without data came.')
    items.push(item)
    return item
  }

  return {
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
    closed,
    async end() {
      await results.return?.()
      await client.dispose()
    },
    cut: () => sockets.forEach((socket) => socket.terminate()),
  }
}

/** What a subscription that was refused, or an item that could not be made, says. */
export class StreamError extends Error {
  readonly errors: readonly { message: string; extensions?: Record<string, unknown> }[]

  constructor(errors: readonly { message: string; extensions?: Record<string, unknown> }[]) {
    super(errors.map(({ message }) => message).join('; '))
    this.errors = errors
  }
}
