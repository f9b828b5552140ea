import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { rounds } from '../faults/rounds.ts'
import { startNetwork, type Answer, type Network } from '../support/network.ts'
import { createLink, LINK_UPDATES } from '../support/operations.ts'
import type { Item, Stream } from '../support/stream.ts'
import { brokenLinks, EVENT_STREAM, PAYMENT_UPDATES } from '../support/streams.ts'
import { addressFor, addressOf, deliver, paymentBody } from '../support/webhooks.ts'

let network: Network
beforeAll(async () => void (network = await startNetwork()))
afterAll(() => network.close())

/** The last status of a history; unknown to the payments API. */
const THE_END = 'the_end'

/** A link with a payment, which the test changes through real webhooks, and the streams that tell of it. */
async function startHistory() {
  const link = await createLink(network)
  const { url } = await addressOf(network, link)
  const paymentId = randomUUID()
  let changes = 0
  const tell = async (status = `status_${++changes}`) => {
    // The address contains the port of the first start.
    const address = addressFor(`${network.app.url}${new URL(url).pathname}`)
    expect((await deliver(address, paymentBody({ uuid: paymentId, status }))).status).toBe(200)
  }
  await tell()
  const ofLink = { filter: { linkIds: [link.id] } }
  const streams: Readonly<Record<StreamName, Followed>> = {
    link: { query: LINK_UPDATES, id: link.id, events: ofLink },
    payment: { query: PAYMENT_UPDATES, id: paymentId, events: ofLink },
    log: { query: EVENT_STREAM, id: undefined, events: {} },
  }
  // Streams of a payment do not tell its link.
  const isLast = ({ event, link: told }: Item) => event?.toStatus === THE_END && (told ?? link).id === link.id
  return { tell, streams, isLast }
}

type StreamName = 'link' | 'payment' | 'log'
type Followed = { readonly query: string; readonly id: string | undefined; readonly events: Record<string, unknown> }
/** When a connection is cut: after this many items and then this many turns of the event loop, in which more items can arrive. */
type Cut = { readonly items: number; readonly turns: number }
type Reading = {
  /** One per connection; connections after the last entry are not cut. */
  readonly cuts: readonly Cut[]
  readonly isLast: (item: Item) => boolean
  /** Called after the first item. */
  readonly onBegun: () => void
  /** Resolves when the server accepts connections. */
  readonly ready: () => Promise<void>
}

/** Follows a stream over one connection after another, each after the last received cursor. Returns all items that were received. */
async function readReconnecting({ query, id }: Followed, { cuts, isLast, onBegun, ready }: Reading): Promise<Item[]> {
  const items: Item[] = []
  for (let connection = 0; ; connection++) {
    await ready()
    const stream = await network.follow(query, { id, after: items.at(-1)?.cursor })
    const isOver = await take(stream, cuts[connection] ?? { items: Infinity, turns: 0 }, (item) => {
      items.push(item)
      if (items.length === 1) onBegun()
      return isLast(item)
    })
    if (isOver) return items
  }
}

/** Reads items up to the cut. Returns true if the last item was among them. Items that arrive after the cut are dropped. */
async function take(stream: Stream, cut: Cut, seen: (item: Item) => boolean): Promise<boolean> {
  for (let taken = 0; taken < cut.items; taken++) {
    // A restart of the server ends the stream or the socket; a client reconnects in both cases.
    const item = await stream.next().catch(() => null)
    if (item === null) break
    if (!seen(item)) continue
    await stream.end()
    return true
  }
  const more = stream.next().catch(() => null)
  for (let turn = 0; turn < cut.turns; turn++) await setImmediate()
  let closed = false
  void stream.closed.then(() => (closed = true))
  // A socket cannot be cut before it begins to connect.
  while (!closed) {
    stream.cut()
    await setImmediate()
  }
  await more
  return false
}

const EVENTS = `query Events($after: String, $filter: PaymentEventFilter) {
  paymentEvents(first: 100, after: $after, filter: $filter) { nodes { id cursor } pageInfo { hasNextPage endCursor } }
}`

type Logged = { readonly id: string; readonly cursor: string }
type EventsAnswer = { paymentEvents: { nodes: Logged[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } } }

/** Returns the events of a stream after a cursor, as the log lists them. */
async function logAfter({ events }: Followed, cursor: string | undefined): Promise<Logged[]> {
  const logged: Logged[] = []
  for (let after = cursor ?? null; ;) {
    const { data }: Answer<EventsAnswer> = await network.ask<EventsAnswer>(EVENTS, { after, ...events })
    const { nodes, pageInfo } = data.paymentEvents
    logged.push(...nodes)
    after = pageInfo.endCursor
    if (!pageInfo.hasNextPage) return logged
  }
}

const cuts = fc.array(fc.record({ items: fc.nat(4), turns: fc.nat(12) }), { maxLength: 8 })
/** Webhooks that are sent at once, or a restart. */
const steps = fc.array(fc.oneof(fc.integer({ min: 1, max: 5 }), fc.constant('restart' as const)), {
  minLength: 3,
  maxLength: 14,
})

// promise(streams): Disconnected at any point, and with the server restarted, a client receives the whole log without a
// gap or duplicate.
it(
  'whenever a client is cut, and whenever the app is restarted, all that it received is the log, once and in order',
  async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.record({ link: cuts, payment: cuts, log: cuts }), async (all, cutsOf) => {
        const { tell, streams, isLast } = await startHistory()
        let up = Promise.resolve()
        const begun: Promise<void>[] = []
        const readings = (Object.keys(streams) as StreamName[]).map(async (name) => {
          const { promise, resolve } = Promise.withResolvers<void>()
          begun.push(promise)
          const parts = { cuts: cutsOf[name], isLast, onBegun: resolve, ready: () => up }
          return { name, received: await readReconnecting(streams[name], parts) }
        })
        await Promise.race([Promise.all(begun), Promise.all(readings)])
        for (const one of all)
          await (one === 'restart' ? (up = network.restart()) : Promise.all(Array.from({ length: one }, () => tell())))
        await tell(THE_END)
        for (const { name, received } of await Promise.all(readings)) {
          const expected = await logAfter(streams[name], received[0]?.cursor)
          const got = received.flatMap(({ event, cursor }) => (event == null ? [] : [{ id: event.id, cursor }]))
          // Events of reads after the last webhook are not part of the stream.
          const end = expected.findIndex(({ cursor }) => cursor === got.at(-1)?.cursor)
          expect({ name, got }).toEqual({ name, got: expected.slice(0, end + 1) })
          expect({ name, broken: brokenLinks(received) }).toEqual({ name, broken: [] })
        }
      }),
      { numRuns: rounds({ few: 10, many: 300 }) },
    )
  },
  rounds({ few: 300_000, many: 30 * 60_000 }),
)
