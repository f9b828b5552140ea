import { describe, expect, it } from 'vitest'
import type { Store } from '../../../src/ledger/store.ts'
import type { FollowOptions, FollowServices } from '../../../src/streams/follow.ts'
import type { StreamItem, StreamStart } from '../../../src/streams/stream-item.ts'
import type { Tail, TailOptions } from '../../../src/streams/tail.ts'
import { paymentOf } from '../contract/builders.ts'
import { append, followServices, type ItemStream, nextEvent, openItems, openStore, tailOf, turns } from './log.ts'

const NOW: StreamStart = { kind: 'now' }

/** Returns the parts of an item that a test compares: its kind, its position, and the position before it. */
function shown(item: StreamItem | undefined): [string, number, number | null] | null {
  return item === undefined ? null : [item.kind, item.position, item.previous]
}

async function take(reader: ItemStream, count: number) {
  const items: ReturnType<typeof shown>[] = []
  for (let index = 0; index < count; index++) items.push(shown((await reader.next()).value))
  return items
}

async function setUp(options: Partial<TailOptions> = {}) {
  const store = await openStore()
  const tail = await tailOf(store, options)
  const open = (start: StreamStart, parts: Partial<FollowOptions> = {}, services: Partial<FollowServices> = {}) =>
    openItems(followServices(store, tail, services), { start, ...parts })
  return { store, tail, open }
}

async function appendTo(store: Store, tail: Tail, ...paymentIds: readonly string[]): Promise<void> {
  const end = (await store.log.head()) + paymentIds.length
  for (const paymentId of paymentIds) {
    const appended = nextEvent(tail, null)
    await append(store, paymentId)
    await appended
  }
  expect(tail.end).toBe(end)
}

/** Prunes the events up to a position. */
async function pruneEvents({ retention }: Store, last: number): Promise<void> {
  const unit = { kind: 'events', until: Number.MAX_SAFE_INTEGER, table: 'events' } as const
  const discarded = { file: null, sha256: null, archivedAt: 0 }
  await retention.record({ kind: unit.kind, until: unit.until, first: 1, last, count: last, ...discarded })
  let after: number | null = 0
  while (after !== null) after = await retention.pruneSome(unit, after)
}

describe('a stream', () => {
  it('after a position replays, and then is live', async () => {
    const { store, tail, open } = await setUp()
    await appendTo(store, tail, 'P0', 'P0', 'P0')
    const reader = open({ kind: 'after', position: 1 })
    expect(await take(reader, 3)).toEqual([
      ['EVENT', 2, 1],
      ['EVENT', 3, 2],
      ['CAUGHT_UP', 3, 3],
    ])
    await append(store)
    expect(await take(reader, 1)).toEqual([['EVENT', 4, 3]])
  })

  it('ends with RESYNC_REQUIRED when events after its position were pruned, also while it replays', async () => {
    const { store, open } = await setUp({ capacity: 10 })
    for (let n = 0; n < 300; n += 1) await append(store)
    const replaying = open({ kind: 'after', position: 1 })
    expect(await take(replaying, 1)).toEqual([['EVENT', 2, 1]])
    await pruneEvents(store, 250)

    expect((await take(replaying, 199)).at(-1)).toEqual(['EVENT', 201, 200])
    expect(await take(replaying, 2)).toEqual([['RESYNC_REQUIRED', 300, null], null])
    expect(await take(open({ kind: 'after', position: 249 }), 1)).toEqual([['RESYNC_REQUIRED', 300, null]])
    expect(await take(open({ kind: 'after', position: 250 }), 1)).toEqual([['EVENT', 251, 250]])
  })

  it('beyond the end of the log is told to begin anew, and ends', async () => {
    const { store, tail, open } = await setUp()
    await appendTo(store, tail, 'P0')
    const reader = open({ kind: 'after', position: 2 })
    expect((await reader.next()).value).toMatchObject({ kind: 'RESYNC_REQUIRED', position: 1, previous: null })
    expect(await reader.next()).toEqual({ done: true, value: undefined })
    expect(tail.listeners).toBe(0)
    expect(await take(open({ kind: 'after', position: 1 }), 1)).toEqual([['CAUGHT_UP', 1, 1]])
  })

  it('ends at once when it is stopped while its reader waits', async () => {
    const { tail, open } = await setUp()
    const reader = open(NOW)
    await reader.next()
    const waiting = reader.next()
    await turns(3)
    expect(tail.listeners).toBe(1)
    reader.stop()
    reader.stop()
    expect(await waiting).toEqual({ done: true, value: undefined })
    expect(await reader.next()).toEqual({ done: true, value: undefined })
    expect(tail.listeners).toBe(0)
  })

  it('that was never read can be stopped too', async () => {
    const { tail, open } = await setUp()
    const reader = open(NOW)
    expect(tail.listeners).toBe(1)
    reader.stop()
    expect(tail.listeners).toBe(0)
    expect((await reader.next()).done).toBe(true)
  })

  it('ends with the tail', async () => {
    const { tail, open } = await setUp()
    const reader = open(NOW)
    await reader.next()
    const waiting = reader.next()
    tail.close()
    expect((await waiting).done).toBe(true)
  })

  it('leaves no listener behind when the log cannot be read', async () => {
    const { store, tail, open } = await setUp()
    const log = { ...store.log, head: () => Promise.reject(new Error('The disk is away.')) }
    const reader = open(NOW, {}, { store: { log } })
    await expect(reader.next()).rejects.toThrow('The disk is away.')
    expect(tail.listeners).toBe(0)
    expect((await reader.next()).done).toBe(true)
  })
})

describe('a reader without the right to a stream', () => {
  it('gets no state', async () => {
    const { store, open } = await setUp()
    await append(store, 'PAY1')
    const reader = open(
      {
        kind: 'snapshot',
        link: null,
        payment: await paymentOf(store),
        agreement: null,
        payout: null,
        gatewayPayment: null,
        head: 1,
      },
      { endsAt: Date.now() },
    )
    expect((await reader.next()).done).toBe(true)
  })

  it('gets nothing more from the moment at which it is lost, also in the middle of a page', async () => {
    const { store, tail, open } = await setUp()
    await appendTo(store, tail, 'P0', 'P0', 'P0')
    let now = 0
    const reader = open({ kind: 'after', position: 0 }, { endsAt: 1 }, { clock: () => new Date(now) })
    expect(await take(reader, 2)).toEqual([
      ['EVENT', 1, 0],
      ['EVENT', 2, 1],
    ])
    now = 1
    expect((await reader.next()).done).toBe(true)
    expect(tail.listeners).toBe(0)
  })

  it('gets nothing of what comes while it waits', async () => {
    const { store, open } = await setUp()
    let now = 0
    // Deadlines that never call `onEnd`.
    const deadlines = { add: () => {}, remove: () => {} }
    const reader = open(NOW, { endsAt: 1 }, { clock: () => new Date(now), deadlines })
    await reader.next()
    const waiting = reader.next()
    await turns(3)
    now = 1
    await append(store)
    expect((await waiting).done).toBe(true)
  })
})

it('a stream ends when its right does, also while its reader waits', async () => {
  const { tail, open } = await setUp()
  const reader = open(NOW, { endsAt: Date.now() + 50 })
  expect((await reader.next()).value).toMatchObject({ kind: 'CAUGHT_UP' })
  expect((await reader.next()).done).toBe(true)
  expect(tail.listeners).toBe(0)
})

describe('a stream that waits', () => {
  it('is not read from the store, however far the rest of the log has gone on', async () => {
    const { store, tail, open } = await setUp({ capacity: 4 })
    let reads = 0
    const log = {
      ...store.log,
      read: (...query: Parameters<typeof store.log.read>) => (reads++, store.log.read(...query)),
    }
    const reader = open(NOW, { streamId: 'payment:P0' }, { store: { log } })
    await reader.next()
    const waiting = take(reader, 1)
    await turns(2)
    for (let count = 0; count < 20; count++) await appendTo(store, tail, 'P1')
    await appendTo(store, tail, 'P0')
    expect(await waiting).toEqual([['EVENT', 21, 0]])
    expect(reads).toBe(0)
  })
})
