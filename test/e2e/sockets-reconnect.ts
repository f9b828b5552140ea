import { createClient, type Client } from 'graphql-ws'
import { WebSocket } from 'ws'
import type { Item } from '../support/stream.ts'
import { EVENT_STREAM } from '../support/streams.ts'

/** The official client with retries, as an app would set it up: it goes on after the last cursor that it has seen. */
export type Follower = {
  /** Everything that came, over however many sockets. */
  readonly items: readonly Item[]
  /** The codes with which its sockets were closed. */
  readonly closed: readonly number[]
  /** Resolves when an item satisfies the predicate, which has come already or is yet to come; rejects when it gives up. */
  until(predicate: (item: Item) => boolean): Promise<void>
  leave(): Promise<void>
}

export type FollowerOptions = {
  readonly url: string
  /** Asked for a token before each socket. */
  readonly token: () => Promise<string>
  /** How long it waits before it tries again, in milliseconds. Default: at once. */
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
    // A server that has gone is not there for a moment; what it refuses for good, the client knows by the code.
    shouldRetry: () => true,
    on: { closed: (event) => closed.push((event as { code: number }).code) },
  })
  const variables = {
    // Read anew each time that the client subscribes.
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

/** The events of a follower, by their cursors. */
export function eventsOf({ items }: Follower): string[] {
  return items.flatMap(({ kind, cursor }) => (kind === 'EVENT' ? [cursor] : []))
}
