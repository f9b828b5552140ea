import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pay } from '../support/checkout.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink, LINK_UPDATES } from '../support/operations.ts'
import { openClient, type StreamError } from '../support/stream.ts'
import {
  brokenLinks,
  EVENT_STREAM,
  gauge,
  isCaughtUp,
  isReceived,
  ITEM_FIELDS,
  paidStream,
  PAYMENT_UPDATES,
  sequences,
} from '../support/streams.ts'

let network: Network
beforeAll(async () => void (network = await startNetwork()))
afterAll(() => network.close())

describe('a stream of one link', () => {
  it('begins with what is, and goes on with what comes', async () => {
    const { link, paymentId } = await paidStream(network)
    const stream = await network.follow(LINK_UPDATES, { id: link.id })
    expect(await stream.until(isCaughtUp)).toMatchObject([
      { kind: 'SNAPSHOT', previousCursor: null, event: null, link: { state: 'PAID' }, payment: { status: 'RECEIVED' } },
      { kind: 'CAUGHT_UP', event: null, payment: null },
    ])
    await network.sandbox.control.setStatus(link.id, 'in_dispute')
    expect(await stream.next()).toMatchObject({
      kind: 'EVENT',
      event: { fromStatus: 'received', toStatus: 'in_dispute', sequence: 6, source: 'WEBHOOK' },
      payment: { id: paymentId, status: 'IN_DISPUTE', version: 6 },
    })
    expect(brokenLinks(stream.items)).toEqual([])
    await stream.end()
  })

  it('tells nothing of other links', async () => {
    const link = await createLink(network)
    const stream = await network.follow(LINK_UPDATES, { id: link.id })
    await stream.until(isCaughtUp)
    await paidStream(network)
    await pay(link.checkoutUrl)
    const items = await stream.until(isReceived)
    expect(items.map((item) => item.link?.id)).toEqual([link.id, link.id, link.id, link.id])
    await stream.end()
  })

  it('takes a nonce, which keeps equal streams of two clients apart in a gateway', async () => {
    const link = await createLink(network)
    const query = `subscription Nonce($id: ID!, $nonce: ID) {
      paymentLinkUpdates(id: $id, streamNonce: $nonce) { ${ITEM_FIELDS} }
    }`
    const stream = await network.follow(query, { id: link.id, nonce: 'tab-1' })
    expect((await stream.until(isCaughtUp)).map(({ kind }) => kind)).toEqual(['SNAPSHOT', 'CAUGHT_UP'])
    await stream.end()
  })
})

describe('a stream of one payment', () => {
  it('tells of everything in its stream, replayed or live', async () => {
    const { link, items, paymentId } = await paidStream(network)
    const stream = await network.follow(PAYMENT_UPDATES, { id: paymentId, after: items[0]?.cursor })
    const replayed = await stream.until(isCaughtUp)
    expect(sequences(replayed)).toEqual([2, 3, 4, 5])
    await network.sandbox.control.setStatus(paymentId, 'in_dispute')
    expect(await stream.next()).toMatchObject({ event: { sequence: 6 }, link: { id: link.id } })
    await stream.end()

    const fresh = await network.follow(PAYMENT_UPDATES, { id: paymentId })
    expect(await fresh.next()).toMatchObject({ kind: 'SNAPSHOT', payment: { id: paymentId, status: 'IN_DISPUTE' } })
    await fresh.end()
  })

  it('replays each event with the payment as it was around it, and shows the payment as it is', async () => {
    const { items, paymentId } = await paidStream(network)
    const event = 'kind before { status version } after { status version amount { value } } payment { status version }'
    const updates = `subscription R($id: ID!, $after: String) { paymentUpdates(id: $id, after: $after) {
      kind cursor event { ${event} } payment { status version } link { payment { status version } } } }`
    const stream = await network.follow(updates, { id: paymentId, after: items[0]?.cursor })
    const replayed = (await stream.until(isCaughtUp)).slice(0, -1)
    await stream.end()
    const steps = ['PENDING', 'AUTHORISED', 'WAITING', 'RECEIVED'].map((status, index) => ({
      status,
      version: index + 2,
    }))
    const amount = { value: '125.50' }
    const now = { status: 'RECEIVED', version: 5 }
    const events = steps.map((step, index) => ({
      kind: 'PAYMENT_STATUS_CHANGED',
      before: steps[index - 1] ?? null,
      after: { ...step, amount },
      payment: now,
    }))
    expect(replayed).toMatchObject(events.map((one) => ({ event: one, payment: now, link: { payment: now } })))

    const query = `query E($id: ID!) { payment(id: $id) { events { nodes { ${event} } } } }`
    const created = { kind: 'LINK_CREATED', before: null, after: null, payment: null }
    const nodes = [created, ...events]
    expect((await network.ask(query, { id: paymentId })).data).toEqual({ payment: { events: { nodes } } })
  })
})

describe('the stream of all events', () => {
  it('begins now when no cursor is given', async () => {
    await paidStream(network)
    const stream = await network.follow(EVENT_STREAM)
    expect(await stream.next()).toMatchObject({ kind: 'CAUGHT_UP', previousCursor: null })
    const { link } = await paidStream(network)
    const items = await stream.until(isReceived)
    expect(items.map((item) => item.event?.kind)).toEqual(['LINK_CREATED', ...Array(4).fill('PAYMENT_STATUS_CHANGED')])
    expect(new Set(items.map((item) => item.link?.id))).toEqual(new Set([link.id]))
    await stream.end()
  })

  it('keeps to its filter, replayed and live', async () => {
    const [one, other] = [await paidStream(network), await paidStream(network)]
    const start = one.items[0]?.cursor
    const after = async (filter: Record<string, unknown>) => {
      const stream = await network.follow(EVENT_STREAM, { after: start, filter })
      const replayed = (await stream.until(isCaughtUp)).flatMap(({ event }) => event ?? [])
      return { stream, replayed }
    }
    const byKind = await after({ kinds: ['LINK_CREATED'] })
    expect(byKind.replayed.map(({ kind }) => kind)).toEqual(['LINK_CREATED'])
    const byLink = await after({ linkIds: [other.link.id] })
    expect(byLink.replayed.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5])
    const byPayment = await after({ paymentIds: [one.paymentId], kinds: ['PAYMENT_STATUS_CHANGED'] })
    expect(byPayment.replayed.map(({ toStatus }) => toStatus)).toEqual(['pending', 'authorised', 'waiting', 'received'])
    const byNothing = await after({ kinds: [] })
    expect(byNothing.replayed).toEqual([])

    await network.sandbox.control.setStatus(one.link.id, 'in_dispute')
    await network.sandbox.control.setStatus(other.link.id, 'in_dispute')
    const made = await createLink(network)
    expect(await byLink.stream.next()).toMatchObject({ event: { toStatus: 'in_dispute' }, link: { id: other.link.id } })
    expect(await byPayment.stream.next()).toMatchObject({ link: { id: one.link.id } })
    expect(await byKind.stream.next()).toMatchObject({ event: { kind: 'LINK_CREATED' }, link: { id: made.id } })
    for (const { stream } of [byKind, byLink, byPayment, byNothing]) await stream.end()
    expect(byNothing.stream.items).toHaveLength(1)
  })
})

describe('one socket', () => {
  it('carries several streams, and survives mistakes on one of them', async () => {
    const [one, other] = [await createLink(network), await createLink(network)]
    const client = openClient(network.app.url, { token: await network.token() })
    const streams = [one, other].map(({ id }) => client.follow({ query: LINK_UPDATES, variables: { id } }))
    for (const stream of streams) await stream.until(isCaughtUp)

    const codes = async (query: string) =>
      client
        .follow({ query })
        .next()
        .catch((reason: unknown) => (reason as StreamError).errors[0]?.extensions?.['code'])
    expect(await codes('subscription {')).toBe('GRAPHQL_PARSE_FAILED')
    expect(await codes('subscription { noSuchField }')).toBe('GRAPHQL_VALIDATION_FAILED')

    await Promise.all([pay(one.checkoutUrl), pay(other.checkoutUrl)])
    for (const [index, stream] of streams.entries()) {
      const items = await stream.until(isReceived)
      expect(sequences(items)).toEqual([2, 3, 4, 5])
      expect(items.at(-1)?.link?.id).toBe([one, other][index]?.id)
    }
    await client.close()
  })
})

describe('streams that have ended', () => {
  it('leave no listeners behind, however they ended', async () => {
    const { link, paymentId } = await paidStream(network)
    const client = openClient(network.app.url, { token: await network.token() })
    const shared = [1, 2, 3].map(() => client.follow({ query: LINK_UPDATES, variables: { id: link.id } }))
    const cut = await network.follow(PAYMENT_UPDATES, { id: paymentId })
    const ended = await network.follow(EVENT_STREAM)
    for (const stream of [...shared, cut, ended]) await stream.until(isCaughtUp)
    expect(await gauge(network, 'payments_streams_open')).toBeGreaterThanOrEqual(5)
    expect(await gauge(network, 'payments_sockets_open')).toBeGreaterThanOrEqual(3)

    await ended.end()
    cut.cut()
    await client.close()
    const resync = await network.follow(LINK_UPDATES, { id: link.id, after: 'forged' })
    expect(await resync.next()).toMatchObject({ kind: 'RESYNC_REQUIRED' })
    expect(await resync.next()).toBeNull()
    await resync.end()
    await expect.poll(() => gauge(network, 'payments_streams_open')).toBe(0)
    await expect.poll(() => gauge(network, 'payments_sockets_open')).toBe(0)
  })
})
