import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import type { PaymentEvent } from '../../../src/domain/events/payment-event.ts'
import type { Store } from '../../../src/ledger/store.ts'
import { createSliceScheduler } from '../../../src/lib/slice-scheduler.ts'
import { createLogger } from '../../../src/observability/logger.ts'
import type { EventLog } from '../../../src/store/port.ts'
import type { StreamItem, StreamStart } from '../../../src/streams/stream-item.ts'
import { startTail, type Tail } from '../../../src/streams/tail.ts'
import { events, settledLink } from '../contract/builders.ts'
import { openSqliteFixture } from '../contract/sqlite-fixture.ts'
import { append, followServices, openItems, turns } from './log.ts'

const PAYMENTS = ['P0', 'P1', 'P2']
const END = 'the_end'

const write = fc.record({
  /** The payment to change, or `link` to create a link. */
  what: fc.constantFrom(...PAYMENTS, 'link'),
  /** True: the next write waits for this one. False: both share a commit. */
  wait: fc.boolean(),
  pause: fc.nat(3),
})

const readers = fc.record({
  opensAfter: fc.nat(30),
  start: fc.constantFrom('now', 'after', 'snapshot'),
  back: fc.nat(12),
  what: fc.constantFrom('all', 'stream', 'matches'),
  pauses: fc.array(fc.nat(6), { minLength: 1, maxLength: 5 }),
})

type Write = { what: string; wait: boolean; pause: number }
type Reader = { opensAfter: number; start: string; back: number; what: string; pauses: number[] }
/** The places where a reader can start. */
type Start = Exclude<StreamStart, { kind: 'nowhere' }>
type Opened = { tail: Tail; store: Store }

const isOfP0 = ({ payment }: PaymentEvent) => payment?.id === 'P0'

/** The items that one reader received, and the place where it started. */
type Reading = { readonly reader: Reader; readonly start: Start; readonly items: StreamItem[] }

it('every reader gets exactly the log after its start, whenever it opens and however slow it is', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(write, { minLength: 1, maxLength: 40 }),
      fc.array(readers, { minLength: 1, maxLength: 5 }),
      fc.record({ capacity: fc.integer({ min: 1, max: 6 }), lag: fc.nat(8) }),
      async (writes, cast, { capacity, lag }) => {
        const { store, destroy } = await openSqliteFixture()
        const tail = await startTail({
          log: lagging(store.log, lag),
          logger: createLogger({ level: 'silent' }),
          scheduler: createSliceScheduler(),
          pollMs: 600_000,
          capacity,
        })
        try {
          const readings = await play({ tail, store }, writes, cast)
          const log = await events(store)
          for (const reading of readings) expectWhole(reading, log)
          expect(tail.listeners).toBe(0)
        } finally {
          tail.close()
          await destroy()
        }
      },
    ),
    { numRuns: 60 },
  )
})

/** Creates a log that answers late, so that its readers fall behind. */
function lagging(log: EventLog, lag: number): EventLog {
  return {
    ...log,
    async read(...query) {
      await turns(lag)
      return log.read(...query)
    },
  }
}

async function play(opened: Opened, writes: readonly Write[], cast: readonly Reader[]): Promise<Reading[]> {
  const { store } = opened
  for (const paymentId of PAYMENTS) await append(store, paymentId)
  const starts = cast.map(() => Promise.withResolvers<void>())
  const readings = cast.map((reader, index) => read(opened, reader, () => starts[index]?.resolve()))
  await writeAll(store, writes)
  await Promise.race([Promise.all(starts.map(({ promise }) => promise)), Promise.all(readings)])
  for (const paymentId of PAYMENTS.toReversed()) await append(store, paymentId, END)
  return Promise.all(readings)
}

async function writeAll(store: Store, writes: readonly Write[]): Promise<void> {
  const running: Promise<unknown>[] = []
  for (const [index, { what, wait, pause }] of writes.entries()) {
    const writing = what === 'link' ? settledLink(store, `ref-${index}`) : append(store, what)
    running.push(writing)
    if (wait) await writing
    await turns(pause)
  }
  await Promise.all(running)
}

async function read({ tail, store }: Opened, reader: Reader, begun: () => void): Promise<Reading> {
  await turns(reader.opensAfter)
  const start = await startOf(store, reader)
  const stream = openItems(followServices(store, tail), {
    start,
    streamId: reader.what === 'stream' ? 'payment:P0' : null,
    ...(reader.what === 'matches' ? { matches: isOfP0, filter: { paymentIds: ['P0'] } } : {}),
  })
  const items: StreamItem[] = []
  for (let isOver = false; !isOver;) {
    const { value, done } = await stream.next()
    if (done === true) throw new Error('The stream ended on its own.')
    items.push(value)
    begun()
    isOver = isLast(value)
    await turns(reader.pauses[items.length % reader.pauses.length] ?? 0)
  }
  const surplus = stream.next()
  await turns(3)
  stream.stop()
  expect(await surplus).toEqual({ done: true, value: undefined })
  return { reader, start, items }
}

/** Returns whether an item is the last one: the ends of the payments are written last, and that of P0 after all others. */
function isLast(item: StreamItem): boolean {
  return item.kind === 'EVENT' && item.event.toStatus === END && item.event.payment?.id === 'P0'
}

async function startOf(store: Store, { start, back }: Reader): Promise<Start> {
  const head = await store.log.head()
  if (start === 'now') return { kind: 'now' }
  if (start === 'after') return { kind: 'after', position: Math.max(head - back, 0) }
  const snapshot = await store.payments.snapshot('P0')
  if (snapshot === null) throw new Error('There is no payment yet.')
  return {
    kind: 'snapshot',
    link: null,
    payment: snapshot.payment,
    agreement: null,
    payout: null,
    gatewayPayment: null,
    head: snapshot.head,
  }
}

function expectWhole({ reader, start, items }: Reading, log: readonly PaymentEvent[]): void {
  const caughtUp = items.findIndex(({ kind }) => kind === 'CAUGHT_UP')
  expect(items.filter(({ kind }) => kind === 'CAUGHT_UP')).toHaveLength(1)
  const marker = items[caughtUp]?.position ?? -1
  const from = start.kind === 'now' ? marker : start.kind === 'after' ? start.position : start.head

  const expected = log.filter((event) => event.position > from && (reader.what === 'all' || isOfP0(event)))
  const got = items.flatMap((item) => (item.kind === 'EVENT' ? [item.event] : []))
  expect(got).toEqual(expected)

  expect(items[0]?.previous).toBe(start.kind === 'after' ? from : null)
  expect(items.slice(1).map(({ previous }) => previous)).toEqual(items.slice(0, -1).map(({ position }) => position))
  const positions = (part: readonly StreamItem[]) =>
    part.flatMap((item) => (item.kind === 'EVENT' ? [item.position] : []))
  expect(positions(items.slice(0, caughtUp)).every((position) => position <= marker)).toBe(true)
  expect(positions(items.slice(caughtUp)).every((position) => position > marker)).toBe(true)
  expect(items.map(({ kind }) => kind).indexOf('SNAPSHOT')).toBe(start.kind === 'snapshot' ? 0 : -1)
}
