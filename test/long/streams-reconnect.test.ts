import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { rounds } from '../faults/rounds.ts'
import { NO_ANSWER } from '../support/agreements.ts'
import { startNetwork, type Network } from '../support/network.ts'
import type { Item } from '../support/stream.ts'
import { brokenLinks, isCaughtUp } from '../support/streams.ts'
import { startHistory, THE_END, type History } from './streams-history.ts'
import { logAfter, readReconnecting, STREAMS, type Reading, type StreamName } from './streams-reconnecting.ts'

let network: Network
beforeAll(async () => void (network = await startNetwork({ sandbox: NO_ANSWER })))
afterAll(() => network.close())

// promise(streams): Disconnected at any point, and with the server restarted, a client receives the whole log without a
// gap or duplicate.
it('a history that is cut after every k-th item is whole, for every k and every stream', async () => {
  const history = await startHistory(network)
  const { subjects } = history
  const first = await Promise.all(STREAMS.map((name) => begin({ network, name, subjects })))
  for (let round = 0; round < 4; round++) await Promise.all([history.tellPayment(), history.tellAgreement()])
  for (const [index, name] of STREAMS.entries()) {
    const start = first[index]?.cursor
    const expected = await logAfter(reading(name, history), start)
    for (let k = 0; k <= expected.length + 1; k++) {
      const cuts = Array.from({ length: k === 0 ? 3 : 20 }, () => ({ items: Math.max(k, 1), turns: k % 3 }))
      const items = await readReconnecting({ ...reading(name, history), cuts, isLast: isCaughtUp, after: start })
      const got = eventsOf(items)
      // Reads of the payments API can have added events meanwhile.
      const since = await logAfter(reading(name, history), start)
      expect(got.length).toBeGreaterThanOrEqual(expected.length)
      expect({ name, k, got }).toEqual({ name, k, got: since.slice(0, got.length) })
      expect({ name, k, broken: brokenLinks(items, start) }).toEqual({ name, k, broken: [] })
    }
  }
})

const step = fc.record({
  what: fc.constantFrom('payment', 'agreement', 'both', 'burst', 'restart'),
  wait: fc.boolean(),
})
const cut = fc.record({ items: fc.nat(4), turns: fc.nat(12) })
const cast = fc.record({
  link: fc.array(cut, { maxLength: 8 }),
  payment: fc.array(cut, { maxLength: 8 }),
  agreement: fc.array(cut, { maxLength: 8 }),
  log: fc.array(cut, { maxLength: 8 }),
})

it(
  'whenever a client is cut, and whenever the app is restarted, all that it received is the log, once and in order',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), cast, async (steps, cuts) => {
        const history = await startHistory(network)
        let up = Promise.resolve()
        const begun = STREAMS.map(() => Promise.withResolvers<void>())
        const readings = STREAMS.map((name, index) => {
          const onBegun = () => begun[index]?.resolve()
          return readReconnecting({ ...reading(name, history), cuts: cuts[name], onBegun, ready: () => up })
        })
        await Promise.race([Promise.all(begun.map(({ promise }) => promise)), Promise.all(readings)])
        await play(steps, history, () => (up = network.restart()))
        await history.tellAgreement('cancelled')
        await history.tellPayment(THE_END)
        for (const [index, received] of (await Promise.all(readings)).entries()) {
          const name = STREAMS[index] ?? 'log'
          const expected = await logAfter(reading(name, history), received[0]?.cursor)
          const got = eventsOf(received)
          // Events of reads after the last webhook are not part of the stream.
          const end = expected.findIndex(({ cursor }) => cursor === got.at(-1)?.cursor)
          expect({ name, got }).toEqual({ name, got: expected.slice(0, end + 1) })
          expect({ name, broken: brokenLinks(received) }).toEqual({ name, broken: [] })
        }
      }),
      { numRuns: rounds({ few: 10, many: 300 }) },
    )
  },
  rounds({ few: 120_000, many: 30 * 60_000 }),
)

type Step = { readonly what: string; readonly wait: boolean }

/** Steps without `wait` run concurrently; before a restart all of them are awaited. */
async function play(steps: readonly Step[], history: History, restart: () => Promise<void>): Promise<void> {
  let running: Promise<unknown>[] = []
  for (const { what, wait } of steps) {
    if (what === 'restart') {
      await Promise.all(running)
      running = []
      await restart()
      continue
    }
    if (what !== 'agreement') running.push(history.tellPayment())
    if (what === 'agreement' || what === 'both') running.push(history.tellAgreement())
    if (what === 'burst') running.push(...Array.from({ length: 5 }, () => history.tellPayment()))
    if (wait) await Promise.all(running)
  }
  await Promise.all(running)
}

function reading(name: StreamName, { subjects }: History): Reading {
  const last: Record<StreamName, (item: Item) => boolean> = {
    link: ({ event }) => event?.toStatus === THE_END,
    payment: ({ event }) => event?.toStatus === THE_END,
    agreement: ({ event }) => event?.toStatus === 'cancelled',
    log: ({ event, link }) => event?.toStatus === THE_END && link?.id === subjects.linkId,
  }
  return { network, name, subjects, cuts: [], isLast: last[name] }
}

/** Returns the first item of a stream, which is then ended. */
async function begin(what: Pick<Reading, 'network' | 'name' | 'subjects'>): Promise<Item | undefined> {
  const items = await readReconnecting({ ...what, cuts: [], isLast: () => true })
  return items[0]
}

function eventsOf(items: readonly Item[]): { id: string; cursor: string }[] {
  return items.flatMap(({ event, cursor }) => (event == null ? [] : [{ id: event.id, cursor }]))
}
