import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { AGREEMENT_UPDATES, createAgreement, NO_ANSWER } from '../support/agreements.ts'
import { settle } from '../support/deliveries.ts'
import { asked } from '../support/mutations.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { CREATE_LINK, createLink, linkInput, LINK_UPDATES, type CreatedLink } from '../support/operations.ts'
import { openClient, type Item } from '../support/stream.ts'
import { EVENT_STREAM, isCaughtUp, PAYMENT_UPDATES } from '../support/streams.ts'
import { OWNER } from './callers.ts'

const DAY_MS = 24 * 3_600_000

// promise(authorization): Rights are checked for every item of a stream; nothing is delivered after the token has
// expired.
describe('a token that expires', () => {
  let network: Network
  let link: CreatedLink
  let paymentId: string
  let agreement: { readonly id: string; readonly serviceId: string }
  beforeAll(async () => {
    network = await startNetwork({ sandbox: NO_ANSWER })
    link = await createLink(network, { ownerId: OWNER })
    await network.sandbox.control.setStatus(link.id, 'pending')
    paymentId = network.sandbox.control.state().links[0]?.paymentUuid ?? ''
    agreement = await createAgreement(network)
  })
  afterAll(() => network.close())

  it('between two events ends every stream before the second, and nothing is lost for the next token', async () => {
    const token = await network.token({ scopes: ['payments:read', 'agreements:read'], ttlSeconds: 3 })
    const client = openClient(network.app.url, { token })
    const wanted = [
      { query: LINK_UPDATES, variables: { id: link.id } },
      { query: PAYMENT_UPDATES, variables: { id: paymentId } },
      { query: AGREEMENT_UPDATES, variables: { id: agreement.id } },
      { query: EVENT_STREAM },
    ]
    const streams = wanted.map((operation) => client.follow(operation))
    for (const stream of streams) await stream.until(isCaughtUp)
    await change('authorised', 'active')
    for (const stream of streams) expect(await stream.next()).toMatchObject({ kind: 'EVENT' })
    const seen = streams.map(({ items }) => items.length)

    const closed = client.closed
    const ends = streams.map(drained)
    expect(await closed).toMatchObject({ code: 4403 })
    await change('received', 'suspended')
    await Promise.all(ends)
    // The log's stream had received both events of the first change.
    expect(streams.map(({ items }, index) => items.length - (seen[index] ?? 0))).toEqual([0, 0, 0, 1])

    for (const [index, operation] of wanted.entries()) {
      const after = streams[index]?.items.at(-1)?.cursor ?? ''
      const stream = await network.follow(operation.query, { ...operation.variables, after })
      expect(await stream.next()).toMatchObject({ kind: 'EVENT', previousCursor: after })
      await stream.end()
    }
  })

  it('carries nothing out for a client that does not let the socket close', async () => {
    const token = await network.token({ ttlSeconds: 2 })
    const url = `${network.app.url.replace(/^http/, 'ws')}/graphql`
    const [socket, other] = [await greeted(url, token), await greeted(url, token)]
    const before = asked(network, 'POST', '/v3/payin_links')
    // A paused client does not receive the server's close frame, which another of the token does, and continues to send.
    socket.pause()
    await once(other, 'close')
    const payload = { query: CREATE_LINK, variables: { input: linkInput() } }
    socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload }))
    const messages: unknown[] = []
    socket.on('message', (data: Buffer) => messages.push(JSON.parse(data.toString())))
    const closed = once(socket, 'close')
    socket.resume()
    expect((await closed)[0]).toBe(4403)
    // This later link shows that no earlier request is still on its way to the payments API.
    await createLink(network)
    expect(messages).toEqual([])
    expect(asked(network, 'POST', '/v3/payin_links') - before).toBe(1)
  })

  async function change(status: 'authorised' | 'received', ofAgreement: 'active' | 'suspended'): Promise<void> {
    await network.sandbox.control.setStatus(link.id, status)
    await network.sandbox.control.setAgreementStatus(agreement.serviceId, ofAgreement)
    await settle(network)
  }
})

describe('a status token that expires', () => {
  let network: Network
  let link: CreatedLink
  let paymentId: string
  let now = () => Date.now()
  beforeAll(async () => {
    network = await startNetwork({ clock: () => new Date(now()) })
    link = await createLink(network)
    for (const status of ['pending', 'authorised', 'waiting', 'received'] as const)
      await network.sandbox.control.setStatus(link.id, status)
    await settle(network)
    paymentId = network.sandbox.control.state().links[0]?.paymentUuid ?? ''
  })
  afterAll(() => network.close())

  it('in the midst of a replay cuts it off there', async () => {
    const cursor = await cursorOfCreation()
    const replayed = await followed(cursor)
    expect(replayed.length).toBeGreaterThan(4)
    const lengths: number[] = []
    for (let looks = 0; looks <= 24; looks += 1) {
      now = expiringAfter(looks, Date.parse(link.expiresAt) + DAY_MS)
      const items = await followed(cursor)
      now = () => Date.now()
      expect(items).toEqual(replayed.slice(0, items.length))
      lengths.push(items.length)
    }
    expect(lengths[0]).toBe(0)
    // The last item marks the end of the replay; the others are events, and a cut can fall between any two of them.
    const cut = new Set(lengths.filter((length) => length > 0 && length < replayed.length - 1))
    expect(cut.size).toBeGreaterThan(1)
  })

  it('between two events ends the stream before the second', async () => {
    const { id, statusToken } = link
    for (const [query, subject] of [
      [LINK_UPDATES, id],
      [PAYMENT_UPDATES, paymentId],
    ] as const) {
      const stream = await network.follow(query, { id: subject, statusToken }, { token: null })
      await stream.until(isCaughtUp)
      await network.sandbox.control.setStatus(id, 'in_dispute')
      expect(await stream.next()).toMatchObject({ event: { toStatus: 'in_dispute' } })
      await settle(network)
      now = () => Date.parse(link.expiresAt) + DAY_MS
      await network.sandbox.control.setStatus(id, 'received')
      await drained(stream)
      expect(stream.items.filter(({ event }) => event?.toStatus === 'received')).toEqual([])
      await stream.end()
      now = () => Date.now()
      await settle(network)
    }
  })

  /** Returns the cursors that the holder of the token receives after one, until the stream is live or ends. */
  async function followed(after: string): Promise<string[]> {
    const { id, statusToken } = link
    const stream = await network.follow(LINK_UPDATES, { id, statusToken, after }, { token: null })
    await stream.until(isCaughtUp).catch(() => [])
    await stream.end()
    return stream.items.map(({ cursor }) => cursor)
  }

  async function cursorOfCreation(): Promise<string> {
    const { data } = await network.ask<{ paymentEvents: { edges: { cursor: string }[] } }>(
      '{ paymentEvents(first: 1) { edges { cursor } } }',
    )
    return data.paymentEvents.edges[0]?.cursor ?? ''
  }
})

/** Returns a clock that jumps to `later` after it was read `looks` times. */
function expiringAfter(looks: number, later: number): () => number {
  let left = looks
  return () => (left-- > 0 ? Date.now() : later)
}

/** Reads a stream until it ends or fails. */
async function drained(stream: { next(): Promise<Item | null> }): Promise<void> {
  try {
    while ((await stream.next()) !== null);
  } catch {
    // The server closed the socket.
  }
}

async function greeted(url: string, token: string): Promise<WebSocket> {
  const socket = new WebSocket(url, 'graphql-transport-ws')
  await new Promise((resolve, reject) => {
    socket.once('open', resolve)
    socket.once('error', reject)
  })
  const acknowledged = new Promise((resolve) => socket.once('message', resolve))
  socket.send(JSON.stringify({ type: 'connection_init', payload: { token } }))
  await acknowledged
  return socket
}
