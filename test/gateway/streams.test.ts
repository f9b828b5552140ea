import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pay } from '../support/checkout.ts'
import { createLink } from '../support/operations.ts'
import { StreamError, type Item } from '../support/stream.ts'
import { brokenLinks, EVENT_STREAM, gauge, isCaughtUp, isReceived, ITEM_FIELDS, sequences } from '../support/streams.ts'
import { ROUTER_SECRET, startStage, type Stage } from './stage.ts'

const LINK_UPDATES = `subscription L($id: ID!, $statusToken: String, $after: String, $streamNonce: ID) {
  paymentLinkUpdates(id: $id, statusToken: $statusToken, after: $after, streamNonce: $streamNonce) { ${ITEM_FIELDS} }
}`

let stage: Stage
beforeAll(async () => void (stage = await startStage()))
afterAll(() => stage.close())

describe('a stream through the gateway', () => {
  it('gives the state, what is new, and fields of other subgraphs, item by item', async () => {
    const link = await createLink(stage.network)
    const stream = await stage.follow(
      `subscription L($id: ID!) {
        paymentLinkUpdates(id: $id) { kind cursor previousCursor event { toStatus } link { id order { id customer { name } paymentLink { state } } } }
      }`,
      { id: link.id },
    )
    await stream.until(isCaughtUp)
    await pay(link.checkoutUrl)
    await stream.until(isReceived)
    await stream.end()
    const told = stream.items.filter(({ kind }) => kind !== 'CAUGHT_UP')
    expect(told.map(({ kind }) => kind)).toEqual(['SNAPSHOT', 'EVENT', 'EVENT', 'EVENT', 'EVENT'])
    const customer = { name: `Name of customer-of-${link.reference}` }
    const order = { id: link.reference, customer, paymentLink: { state: expect.stringMatching(/OPEN|PAID/) } }
    expect(told.map((item) => item.link)).toEqual(told.map(() => ({ id: link.id, order })))
    expect(brokenLinks(stream.items)).toEqual([])
  })

  it('carries the token in the parameters of the connection, and the secret of the router on the upgrade', async () => {
    const { id } = await createLink(stage.network)
    stage.proxy.clear()
    // The gateway uses one socket for all streams of a token.
    const own = { token: await stage.network.token({ subject: 'somebody-new' }) }
    const stream = await stage.follow(EVENT_STREAM, {}, own)
    await stream.until(isCaughtUp)
    expect(stage.proxy.upgrades).toMatchObject([{ 'x-router-secret': ROUTER_SECRET }])
    expect(stage.proxy.upgrades[0]).not.toHaveProperty('authorization')
    await stream.end()
    const token = await stage.network.token({ scopes: [], subject: 'stranger' })
    for (const [query, variables, code] of [
      [EVENT_STREAM, {}, 'FORBIDDEN'],
      [LINK_UPDATES, { id }, 'NOT_FOUND'],
    ] as const)
      await expect((await stage.follow(query, variables, { token })).next()).rejects.toMatchObject({
        errors: [{ extensions: { code } }],
      })
  })

  it('serves any number of payers without an account on one connection, each with the token of a link', async () => {
    const links = await Promise.all(Array.from({ length: 50 }, () => createLink(stage.network)))
    stage.proxy.clear()
    const streams = await Promise.all(
      links.map(({ id, statusToken }) => stage.follow(LINK_UPDATES, { id, statusToken }, { token: null })),
    )
    const begun = await Promise.all(streams.map((stream) => stream.until(isCaughtUp)))
    expect(begun.map((items) => items.map(({ kind }) => kind))).toEqual(streams.map(() => ['SNAPSHOT', 'CAUGHT_UP']))
    expect(stage.proxy.upgrades).toHaveLength(1)
    await Promise.all(streams.map((stream) => stream.end()))
  })

  it('ends with an error when its token expires, and does not begin with one that has', async () => {
    const { id } = await createLink(stage.network)
    const token = await stage.network.token({ ttlSeconds: 10 })
    const stream = await stage.follow(LINK_UPDATES, { id }, { token })
    await stream.until(isCaughtUp)
    stage.proxy.clear()
    await expect(stream.next()).rejects.toBeInstanceOf(StreamError)
    const late = await stage.follow(LINK_UPDATES, { id }, { token })
    await expect(late.next()).rejects.toBeInstanceOf(StreamError)
    // With a retryable close code the gateway would try the same token for half a minute.
    expect(stage.proxy.upgrades).toHaveLength(1)
  })

  it('is let go of at the subgraph when its client ends', async () => {
    await expect.poll(() => gauge(stage.network, 'payments_streams_open')).toBe(0)
    await expect.poll(() => gauge(stage.network, 'payments_sockets_open')).toBe(0)
  })
})

describe('nothing is lost', () => {
  it('when the gateway is killed in the midst of a payment, and comes back', async () => {
    const { id } = await createLink(stage.network)
    const first = await stage.follow(LINK_UPDATES, { id })
    await first.until(isCaughtUp)
    await become(id, 'pending')
    await first.until((item) => item.event?.toStatus === 'pending')
    const ended = first.next()
    await Promise.all([expect(ended).rejects.toMatchObject({ code: 1006 }), stage.killGateway()])
    await expect.poll(() => gauge(stage.network, 'payments_sockets_open')).toBe(0)
    await become(id, 'authorised')
    await stage.restartGateway()
    await become(id, 'waiting')

    const second = await stage.follow(LINK_UPDATES, { id, after: first.items.at(-1)?.cursor })
    await second.until(isCaughtUp)
    await become(id, 'received')
    await second.until(isReceived)
    await second.end()
    const all = [...first.items, ...second.items]
    expect(sequences(all)).toEqual([2, 3, 4, 5])
    expect(brokenLinks(all)).toEqual([])
  })

  it('when the subgraph is restarted: the gateway opens the stream anew, and the chain of cursors shows it', async () => {
    const { id } = await createLink(stage.network)
    const first = await stage.follow(LINK_UPDATES, { id })
    await first.until(isCaughtUp)
    await become(id, 'pending')
    await first.until((item) => item.event?.toStatus === 'pending')
    const held = first.items.length
    await stage.network.restart()
    await become(id, 'authorised')
    // The client is not notified: its stream continues with the first items of a new stream.
    await first.until((item) => item !== first.items[held - 1] && isCaughtUp(item))
    expect(brokenLinks(first.items)).toEqual([first.items[held]])
    expect(sequences(first.items)).toEqual([2])
    await first.end()

    const kept = await followByCursor(id, first.items[held - 1]?.cursor, isReceived, () =>
      Promise.all([become(id, 'waiting'), become(id, 'received')]),
    )
    expect(sequences([...first.items.slice(0, held), ...kept])).toEqual([2, 3, 4, 5])
  })
})

/**
 * Follows a link after a cursor, as clients should: an item whose previous cursor is not the client's is dropped, and the stream opened
 * again. `act` is called once the client is live. Returns the kept items, up to the one that is wanted.
 */
async function followByCursor(
  id: string,
  after: string | undefined,
  until: (item: Item) => boolean,
  act: () => Promise<unknown>,
): Promise<Item[]> {
  const kept: Item[] = []
  let acting: Promise<unknown> | null = null
  for (;;) {
    const stream = await stage.follow(LINK_UPDATES, { id, after: kept.at(-1)?.cursor ?? after })
    for (let item = await stream.next(); item !== null; item = await stream.next()) {
      if (item.previousCursor !== (kept.at(-1)?.cursor ?? after)) break
      kept.push(item)
      if (isCaughtUp(item)) acting ??= act()
      if (until(item)) break
    }
    await stream.end()
    if (!kept.some(until)) continue
    await acting
    return kept
  }
}

type Status = Parameters<Stage['network']['sandbox']['control']['setStatus']>[1]

/** Sets the status of a link's payment; resolves when its webhook was delivered. */
async function become(id: string, status: Status): Promise<void> {
  await stage.network.sandbox.control.setStatus(id, status)
  await stage.network.sandbox.settle()
}
