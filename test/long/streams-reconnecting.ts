import { setImmediate } from 'node:timers/promises'
import { AGREEMENT_UPDATES } from '../support/agreements.ts'
import type { Answer, Network } from '../support/network.ts'
import { LINK_UPDATES } from '../support/operations.ts'
import type { Item, Stream } from '../support/stream.ts'
import { EVENT_STREAM, PAYMENT_UPDATES } from '../support/streams.ts'

/** The kinds of streams. */
export const STREAMS = ['link', 'payment', 'agreement', 'log'] as const
export type StreamName = (typeof STREAMS)[number]

/** The ids that the streams of one history follow. */
export type Subjects = { readonly linkId: string; readonly paymentId: string; readonly agreementId: string }

/** When a connection is cut: after this many items and then this many turns of the event loop, in which more items can arrive. */
export type Cut = { readonly items: number; readonly turns: number }

const QUERIES: Readonly<Record<StreamName, string>> = {
  link: LINK_UPDATES,
  payment: PAYMENT_UPDATES,
  agreement: AGREEMENT_UPDATES,
  log: EVENT_STREAM,
}

export type Reading = {
  readonly network: Network
  readonly name: StreamName
  readonly subjects: Subjects
  /** One per connection; connections after the last entry are not cut. */
  readonly cuts: readonly Cut[]
  /** Returns whether an item is the last one to read. */
  readonly isLast: (item: Item) => boolean
  /** The cursor to begin after; without it the stream begins with a snapshot. */
  readonly after?: string | undefined
  /** Called after the first item. */
  readonly onBegun?: () => void
  /** Resolves when the server accepts connections. */
  readonly ready?: () => Promise<void>
}

/** Follows a stream over one connection after another, each after the last received cursor. Returns all items that were received. */
export async function readReconnecting({ cuts, after, onBegun, ready, isLast, ...what }: Reading): Promise<Item[]> {
  const items: Item[] = []
  for (let connection = 0; ; connection++) {
    await ready?.()
    const stream = await open(what, items.at(-1)?.cursor ?? after)
    const cut = cuts[connection] ?? { items: Infinity, turns: 0 }
    const isOver = await take(stream, cut, (item) => {
      items.push(item)
      if (items.length === 1) onBegun?.()
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

function open({ network, name, subjects }: Pick<Reading, 'network' | 'name' | 'subjects'>, after: string | undefined) {
  const ids = { link: subjects.linkId, payment: subjects.paymentId, agreement: subjects.agreementId, log: undefined }
  return network.follow(QUERIES[name], { id: ids[name], after })
}

const EVENTS = `query Events($after: String, $filter: PaymentEventFilter) {
  paymentEvents(first: 100, after: $after, filter: $filter) {
    nodes { id cursor } pageInfo { hasNextPage endCursor }
  }
}`

type Logged = { readonly id: string; readonly cursor: string }
type EventsAnswer = {
  paymentEvents: { nodes: Logged[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } }
}

/** Returns the events of a stream after a cursor, as the log lists them. */
export async function logAfter({ network, name, subjects }: Reading, cursor: string | undefined): Promise<Logged[]> {
  const filters = {
    link: { linkIds: [subjects.linkId] },
    payment: { linkIds: [subjects.linkId] },
    agreement: { agreementIds: [subjects.agreementId] },
    log: {},
  }
  const events: Logged[] = []
  for (let after: string | null | undefined = cursor; ;) {
    const { data }: Answer<EventsAnswer> = await network.ask<EventsAnswer>(EVENTS, { after, filter: filters[name] })
    events.push(...data.paymentEvents.nodes)
    after = data.paymentEvents.pageInfo.endCursor
    if (!data.paymentEvents.pageInfo.hasNextPage) return events
  }
}
