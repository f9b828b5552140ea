import type { Connection, PaymentUpdate, WatchOptions } from '../../packages/client/src/index.ts'
import type { Network } from '../support/network.ts'

/** The updates and connection states of a watch so far. */
export type Watching = {
  readonly updates: readonly PaymentUpdate[]
  readonly connections: readonly Connection[]
  /** Resolves with the first update, past or future, that satisfies the predicate. Rejects if the watch fails. */
  until(predicate: (update: PaymentUpdate) => boolean): Promise<PaymentUpdate>
  /** Resolves when the connection is in this state. Rejects if the watch fails. */
  untilConnection(connection: Connection): Promise<void>
  leave(): Promise<unknown>
}

/** Short intervals, so that a test with many reconnects is fast. */
export const QUICK = {
  openMs: 2_000,
  pongMs: 300,
  retryMs: 5,
  retryMaxMs: 50,
  restartMs: 5,
  upgradeMs: 60_000,
} satisfies WatchOptions['timing']

/** Runs a watch, and records all its updates and connection states. */
export function keep(
  start: (options: Pick<WatchOptions, 'onConnection'>) => AsyncIterableIterator<PaymentUpdate>,
): Watching {
  const updates: PaymentUpdate[] = []
  const connections: Connection[] = []
  const waiting = new Set<() => void>()
  let failure: Error | null = null
  const look = () => {
    for (const check of waiting) check()
  }
  const iterator = start({
    onConnection: (connection) => {
      connections.push(connection)
      look()
    },
  })
  const run = async () => {
    for await (const update of iterator) {
      updates.push(update)
      look()
    }
  }
  run().catch((error: unknown) => {
    failure = error as Error
    look()
  })
  const until = <Value>(find: () => Value | undefined): Promise<Value> =>
    new Promise((resolve, reject) => {
      const check = () => {
        const found = find()
        if (found === undefined && failure === null) return
        waiting.delete(check)
        if (found !== undefined) resolve(found)
        else reject(failure ?? new Error('The watch has ended.'))
      }
      waiting.add(check)
      check()
    })
  return {
    updates,
    connections,
    until: (predicate) => until(() => updates.find(predicate)),
    untilConnection: async (wanted) => {
      await until(() => (connections.at(-1) === wanted ? true : undefined))
    },
    leave: async () => iterator.return?.(),
  }
}

/** Returns the cursors of the events among these updates, in the order of receipt. */
export function eventsOf(updates: readonly PaymentUpdate[]): string[] {
  return updates.flatMap(({ kind, cursor }) => (kind === 'EVENT' ? [cursor] : []))
}

const EVENTS = `query Events($after: String, $filter: PaymentEventFilter) {
  paymentEvents(first: 100, after: $after, filter: $filter) { nodes { cursor } }
}`

/** Returns the cursors of the first 100 events after a cursor, as the log lists them. */
export async function logAfter(
  network: Network,
  after: string | null,
  filter: Record<string, unknown> = {},
): Promise<string[]> {
  const { data } = await network.ask<{ paymentEvents: { nodes: { cursor: string }[] } }>(EVENTS, { after, filter })
  return data.paymentEvents.nodes.map(({ cursor }) => cursor)
}

export const isCaughtUp = ({ kind }: PaymentUpdate): boolean => kind === 'CAUGHT_UP'
export const isPaid = ({ payment }: PaymentUpdate): boolean => payment?.phase === 'SUCCEEDED'
