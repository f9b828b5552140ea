import { createClient, type Client } from 'graphql-ws'
import { WebSocket } from 'ws'
import type { Item } from '../support/stream.ts'
import { EVENT_STREAM } from '../support/streams.ts'

/** The official client with retries, configured as in an app: it continues after the last cursor that it received. */
export type Follower = {
  /** All items received, over all sockets. */
  readonly items: readonly Item[]
  /** The close codes of its sockets. */
  readonly closed: readonly number[]
  /** Resolves when an item, past or future, satisfies the predicate. Rejects when the client gives up. */
  until(predicate: (item: Item) => boolean): Promise<void>
  leave(): Promise<void>
}

export type FollowerOptions = {
  readonly url: string
  /** Returns a token; called before each socket. */
  readonly token: () => Promise<string>
  /** Returns the milliseconds before the next retry. Default: 0. */
  readonly retryAfterMs?: (retries: number) => number
}

export function follow({ url, token, retryAfterMs = () => 0 }: FollowerOptions): Follower {
  const items: Item[] = []
  const closed: number[] = []
  const waiting = new Set<() => void>()
  let failure: unknown = null
  const look = () => {
    for (const check of waiting) check()
  }
  const client: Client = createClient({
    url: `${url.replace(/^http/, 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: async () => ({ authorization: `Bearer ${await token()}` }),
    retryAttempts: 1_000,
    retryWait: (retries) => new Promise((resolve) => setTimeout(resolve, retryAfterMs(retries))),
    // A server that ends is back after a moment; fatal close codes are known to the client.
    shouldRetry: () => true,
    on: { closed: (event) => closed.push((event as { code: number }).code) },
  })
  const variables = {
    // Evaluated for each subscribe message.
    get after() {
      return items.at(-1)?.cursor
    },
  }
  client.subscribe<Record<string, Item>>(
    { query: EVENT_STREAM, variables },
    {
      next: ({ data, errors }) => {
        const item = Object.values(data ?? {})[0]
        if (item === undefined) failure = errors
        else items.push(item)
        look()
      },
      error: (error) => {
        failure = error
        look()
      },
      complete: () => {},
    },
  )
  return {
    items,
    closed,
    until: (predicate) =>
      new Promise((resolve, reject) => {
        const check = () => {
          if (failure !== null) reject(failure)
          else if (items.some(predicate)) resolve()
          else return
          waiting.delete(check)
        }
        waiting.add(check)
        check()
      }),
    leave: async () => client.dispose(),
  }
}

/** Returns the cursors of a follower's events. */
export function eventsOf({ items }: Follower): string[] {
  return items.flatMap(({ kind, cursor }) => (kind === 'EVENT' ? [cursor] : []))
}
