import { cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink, LINK_UPDATES } from '../support/operations.ts'
import type { Item } from '../support/stream.ts'
import {
  brokenLinks,
  EVENT_STREAM,
  isCaughtUp,
  isReceived,
  paidStream,
  PAYMENT_UPDATES,
  replay,
  sequences,
} from '../support/streams.ts'

let network: Network
beforeAll(async () => void (network = await startNetwork()))
afterAll(() => network.close())

describe('a stream that is opened again', () => {
  it('after any of its cursors gives exactly the rest', async () => {
    const { link, items } = await paidStream(network)
    const events = items.filter(({ kind }) => kind === 'EVENT')
    for (const { cursor } of items) {
      const seen = items.findLastIndex((item) => item.cursor === cursor)
      const rest = events.filter((item) => items.indexOf(item) > seen)
      const again = await replay(network, link.id, cursor)
      expect(again.map(({ kind }) => kind)).toEqual([...rest.map(() => 'EVENT'), 'CAUGHT_UP'])
      expect(again.slice(0, -1).map(({ event }) => event)).toEqual(rest.map(({ event }) => event))
      expect(again.slice(0, -1).map(({ cursor: position }) => position)).toEqual(rest.map((item) => item.cursor))
      expect(brokenLinks(again, cursor)).toEqual([])
    }
  })

  it('after the cursor of an event that was listed goes on from there', async () => {
    const { link } = await paidStream(network)
    const answer = await network.ask<{ paymentEvents: { nodes: { cursor: string; sequence: number }[] } }>(
      'query L($ids: [ID!]) { paymentEvents(filter: { linkIds: $ids }) { nodes { cursor sequence } } }',
      { ids: [link.id] },
    )
    for (const { cursor, sequence } of answer.data.paymentEvents.nodes)
      expect(sequences(await replay(network, link.id, cursor))).toEqual([1, 2, 3, 4, 5].slice(sequence))
  })

  it('after the app was restarted in the midst of a payment loses nothing and repeats nothing', async () => {
    const link = await createLink(network)
    const first = await network.follow(LINK_UPDATES, { id: link.id })
    await first.until(isCaughtUp)
    await network.sandbox.control.setStatus(link.id, 'pending')
    await first.until((item) => item.event?.toStatus === 'pending')
    await network.sandbox.control.setStatus(link.id, 'authorised')
    await network.restart()
    expect((await first.closed).code).toBe(1012)
    await network.sandbox.control.setStatus(link.id, 'waiting')

    const second = await network.follow(LINK_UPDATES, { id: link.id, after: first.items.at(-1)?.cursor })
    await second.until(isCaughtUp)
    await network.sandbox.control.setStatus(link.id, 'received')
    await second.until(isReceived)
    const all = [...first.items, ...second.items]
    expect(sequences(all)).toEqual([2, 3, 4, 5])
    expect(brokenLinks(all)).toEqual([])
    await second.end()
  })
})

describe('a cursor that cannot be continued from', () => {
  /** Returns the first items of a stream: one, or two if the first is RESYNC_REQUIRED. */
  const answer = async (query: string, variables: Record<string, unknown>, on = network) => {
    const stream = await on.follow(query, variables)
    const items: (Item | null)[] = [await stream.next()]
    if (items[0]?.kind === 'RESYNC_REQUIRED') items.push(await stream.next())
    await stream.end()
    return items
  }

  const resync = [
    {
      kind: 'RESYNC_REQUIRED',
      previousCursor: null,
      resyncReason: expect.stringMatching(/cursor/i),
      event: null,
      payment: null,
    },
    null,
  ]

  it('because it is forged, ends the stream with RESYNC_REQUIRED', async () => {
    const { link, items, paymentId } = await paidStream(network)
    const genuine = items.at(-1)?.cursor ?? ''
    const altered = genuine.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))
    for (const after of ['', '0', 'x'.repeat(5000), 'A'.repeat(22), altered, `${genuine}A`]) {
      expect(await answer(LINK_UPDATES, { id: link.id, after })).toMatchObject(resync)
      expect(await answer(PAYMENT_UPDATES, { id: paymentId, after })).toMatchObject(resync)
      expect(await answer(EVENT_STREAM, { after })).toMatchObject(resync)
    }
  })

  it('because another log, or another key, made it, ends the stream with RESYNC_REQUIRED', async () => {
    const { items } = await paidStream(network)
    const after = items[0]?.cursor
    const sameKey = await startNetwork()
    const otherKey = await startNetwork({ env: { SIGNING_KEYS: 'another-signing-key-of-the-tests-0123456789' } })
    try {
      for (const other of [sameKey, otherKey]) {
        await paidStream(other)
        expect(await answer(EVENT_STREAM, { after }, other)).toMatchObject(resync)
      }
    } finally {
      await Promise.all([sameKey.close(), otherKey.close()])
    }
  })

  it('because the log was put back to an earlier backup, ends the stream with RESYNC_REQUIRED', async () => {
    const other = await startNetwork()
    try {
      const kept = await paidStream(other)
      const backup = join(other.folder, 'backup')
      await other.restart(() => copyDatabase(other.folder, backup))
      const lost = await paidStream(other)
      const after = lost.items.at(-1)?.cursor
      await other.restart(() => {
        rmSync(join(other.folder, 'payments.db-wal'), { force: true })
        copyDatabase(backup, other.folder)
      })
      expect(await answer(EVENT_STREAM, { after }, other)).toMatchObject(resync)
      expect(sequences(await replay(other, kept.link.id, kept.items[0]?.cursor ?? ''))).toEqual([2, 3, 4, 5])
    } finally {
      await other.close()
    }
  })
})

function copyDatabase(from: string, to: string): void {
  mkdirSync(to, { recursive: true })
  for (const file of readdirSync(from).filter((name) => /^payments\.db(-wal|-shm)?$/.test(name)))
    cpSync(join(from, file), join(to, file))
}
