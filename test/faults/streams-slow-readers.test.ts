import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startNetwork, type Network } from '../support/network.ts'
import type { Item, Stream } from '../support/stream.ts'
import { brokenLinks, EVENT_STREAM, gauge, isCaughtUp } from '../support/streams.ts'
import { defaultAddress, deliver, paymentBody } from '../support/webhooks.ts'
import { rounds } from './rounds.ts'

const STOPPED = rounds({ few: 30, many: 100 })
const EVENTS = 60
/** Longest time until the stopped clients are disconnected, in milliseconds. */
const CUT_MS = 30_000

// promise(streams): A client that stops reading is disconnected, costs little memory, and misses nothing after it
// reconnects.
describe('clients that stop reading', () => {
  let network: Network
  beforeAll(async () => void (network = await startNetwork({ limits: { keepAliveMs: 1_500 } })))
  afterAll(() => network.close())

  it('hold up nobody, are told to come back, and then miss nothing', async () => {
    const good = await openCaughtUp()
    const stopped = await Promise.all(Array.from({ length: STOPPED }, openCaughtUp))
    for (const stream of stopped) stream.pause()

    // It ends although none of the stopped clients reads before it has ended.
    await tellAndRead(good)
    await expect.poll(() => gauge(network, 'payments_sockets_open'), { timeout: CUT_MS }).toBe(1)
    await tellAndRead(good)
    expect(brokenLinks(good.items)).toEqual([])

    const last = good.items.at(-1)?.cursor
    for (const stream of stopped) {
      stream.resume()
      await readToTheEnd(stream)
      expect((await stream.closed).code).toBe(1013)
      const again = await network.follow(EVENT_STREAM, { after: stream.items.at(-1)?.cursor })
      const rest = await again.until(isCaughtUp)
      await again.end()
      const events = [...stream.items, ...rest].filter(({ kind }) => kind === 'EVENT')
      expect(events.map(({ cursor }) => cursor)).toEqual(eventsOf(good).map(({ cursor }) => cursor))
      expect(brokenLinks([...stream.items, ...rest])).toEqual([])
      expect(rest.at(-1)?.cursor).toBe(last)
    }
    await good.end()
  })

  async function openCaughtUp(): Promise<Stream> {
    const stream = await network.follow(EVENT_STREAM)
    await stream.until(isCaughtUp)
    return stream
  }

  /** Sends webhooks one after another, each once the stream has the one before. */
  async function tellAndRead(stream: Stream): Promise<void> {
    for (let count = 0; count < EVENTS; count++) {
      const uuid = randomUUID()
      const reply = await deliver(defaultAddress(network), paymentBody({ uuid }))
      expect(reply.status).toBe(200)
      await stream.until(({ payment }) => payment?.id === uuid)
    }
  }
})

async function readToTheEnd(stream: Stream): Promise<void> {
  while ((await stream.next().catch(() => null)) !== null);
}

function eventsOf({ items }: Stream): Item[] {
  return items.filter(({ kind }) => kind === 'EVENT')
}
