import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink, LINK, LINK_UPDATES, type CreatedLink } from '../support/operations.ts'
import type { Item } from '../support/stream.ts'
import { brokenLinks, isCaughtUp, replay, sequences } from '../support/streams.ts'
import { addressOf, deliver, paymentBody } from '../support/webhooks.ts'

const DAY_MS = 24 * 3_600_000
/** In seconds: longer than any jump. */
const LONG_S = 10 * 24 * 3_600
const JUMPS: readonly [string, number][] = [
  ['a day forward', DAY_MS],
  ['a day back', -DAY_MS],
]

let jump = 0
let network: Network
beforeEach(async () => {
  jump = 0
  network = await startNetwork({ clock: () => new Date(Date.now() + jump) })
})
afterEach(() => network.close())

// promise(streams): A wall clock that jumps ends no valid token, expires no link, and causes no burst of reads.
describe.each(JUMPS)('a wall clock that jumps %s', (_where, by) => {
  it('leaves the order of a stream as it is, and ends none whose token is still good', async () => {
    const link = await createLink(network)
    const token = await network.token({ ttlSeconds: LONG_S })
    const stream = await network.follow(LINK_UPDATES, { id: link.id }, { token })
    const tell = await teller(link)
    await stream.until(isCaughtUp)
    for (const [index, offset] of [0, by, 0, by].entries()) {
      jump = offset
      await tell(`status_${index}`)
      await stream.until((item) => item.event?.toStatus === `status_${index}`)
    }
    const told = sequences(stream.items)
    expect(told).toEqual(told.toSorted((one, other) => one - other))
    expect(brokenLinks(stream.items)).toEqual([])
    await stream.end()

    jump = 0
    const again = await replay(network, link.id, stream.items[0]?.cursor ?? '')
    const ids = eventIds(stream.items)
    expect(eventIds(again).slice(0, ids.length)).toEqual(ids)
  })

  it('lets no link expire, and brings no storm of reads', async () => {
    const links: CreatedLink[] = []
    for (let count = 0; count < 4; count++) links.push(await createLink(network))
    await network.app.settle()
    // The comparison of the days of the gap reads lists, each once.
    const readsOf = () =>
      network.sandbox.control.calls().filter(({ path }) => !/\/all$|\/payin_links$|search$/.test(path)).length
    const before = readsOf()
    jump = by
    // The restart begins all reads that are due at the new time.
    await network.restart()
    await network.app.settle()
    expect(readsOf() - before).toBeLessThanOrEqual(2 * links.length)
    jump = 0
    for (const { id } of links) {
      const { data } = await network.ask<{ paymentLink: { state: string } }>(LINK, { id })
      expect(data.paymentLink.state).toBe('OPEN')
      expect(eventIds(await replay(network, id, await firstCursor(id)))).toEqual([])
    }
  })
})

describe('a token that has expired by a clock that jumped', () => {
  it('gets no further item, and its socket says why', async () => {
    const link = await createLink(network)
    const tell = await teller(link)
    const stream = await network.follow(
      LINK_UPDATES,
      { id: link.id },
      { token: await network.token({ ttlSeconds: 600 }) },
    )
    const seen = await stream.until(isCaughtUp)
    jump = DAY_MS
    await tell('status_late')
    expect(await stream.next().catch(() => null)).toBeNull()
    expect((await stream.closed).code).toBe(4403)

    const token = await network.token({ ttlSeconds: LONG_S })
    const again = await network.follow(LINK_UPDATES, { id: link.id, after: seen.at(-1)?.cursor }, { token })
    expect(await again.next()).toMatchObject({ kind: 'EVENT', event: { toStatus: 'status_late' } })
    await again.end()
  })

  it('goes on while the clock is behind', async () => {
    const link = await createLink(network)
    const tell = await teller(link)
    const stream = await network.follow(
      LINK_UPDATES,
      { id: link.id },
      { token: await network.token({ ttlSeconds: 600 }) },
    )
    await stream.until(isCaughtUp)
    jump = -DAY_MS
    await tell('status_early')
    expect(await stream.next()).toMatchObject({ event: { toStatus: 'status_early' } })
    await stream.end()
  })
})

/** Returns the function that sends a webhook about one payment of a link. */
async function teller(link: CreatedLink): Promise<(status: string) => Promise<void>> {
  const address = await addressOf(network, link)
  const uuid = randomUUID()
  return async (status) => {
    expect((await deliver(address, paymentBody({ uuid, status }))).status).toBe(200)
  }
}

/** Returns the cursor of the link's first event. */
async function firstCursor(id: string): Promise<string> {
  const { data } = await network.ask<{ paymentEvents: { nodes: { cursor: string }[] } }>(
    'query First($ids: [ID!]) { paymentEvents(first: 1, filter: { linkIds: $ids }) { nodes { cursor } } }',
    { ids: [id] },
  )
  return data.paymentEvents.nodes[0]?.cursor ?? ''
}

function eventIds(items: readonly Item[]): string[] {
  return items.flatMap(({ event }) => event?.id ?? [])
}
