import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { startCallbackRouter, type CallbackRouter } from '../support/callback-router.ts'
import { openEvents, type EventResponse } from '../support/events.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink, LINK_UPDATES, type CreatedLink } from '../support/operations.ts'
import { greetedSocket, type Message, type RawSocket } from '../support/socket.ts'
import { gauge } from '../support/streams.ts'

const MOST = 20
const OF_CALLER = 30
const ROUTER_SECRET = 'secret-of-the-router-1'
const TOO_MANY = { extensions: { code: 'TOO_MANY_OPERATIONS' } }

let network: Network
let router: CallbackRouter
let link: CreatedLink
const open: { close(): void }[] = []

beforeAll(async () => {
  router = await startCallbackRouter()
  network = await startNetwork({
    env: {
      CALLBACK_ORIGINS: router.origin,
      ROUTER_SECRETS: ROUTER_SECRET,
      SOCKET_LIMITS: `streamsPerSubject=${OF_CALLER}`,
    },
  })
})
afterAll(async () => {
  await network.close()
  await router.close()
})
beforeEach(async () => void (link = await createLink(network, { ownerId: 'customer-7' })))
afterEach(async () => {
  for (const { close } of open.splice(0)) close()
  // The router's answer 404 to the next message ends its streams.
  router.reply(() => 404)
  await network.sandbox.control.setStatus(link.id, 'pending')
  await vi.waitUntil(async () => (await openStreams()) === 0, 30_000)
  router.reply(() => ({ status: 204, headers: { 'subscription-protocol': 'callback/1.0' } }))
})

const openStreams = () => gauge(network, 'payments_streams_open')
const operation = () => ({ query: LINK_UPDATES, variables: { id: link.id, statusToken: link.statusToken } })

/** Opens a socket with several streams of one operation, each caught up. */
async function socketWith(count: number, token?: string): Promise<RawSocket> {
  const socket = await greetedSocket(network.app.url, token === undefined ? {} : { token })
  open.push(socket)
  for (let id = 0; id < count; id += 1) await subscribe(socket, String(id), token === undefined)
  return socket
}

async function subscribe(socket: RawSocket, id: string, byStatusToken = true): Promise<void> {
  const { query, variables } = operation()
  socket.send({ id, type: 'subscribe', payload: { query, variables: byStatusToken ? variables : { id: link.id } } })
  for (const kind of ['SNAPSHOT', 'CAUGHT_UP']) expect(await ofId(socket, id)).toMatchObject(itemOf(kind))
}

const itemOf = (kind: string) => ({ payload: { data: { paymentLinkUpdates: { kind } } } })

/** Returns the next message of a socket, which must belong to this stream. */
async function ofId(socket: RawSocket, id: string): Promise<Message> {
  const message = await socket.next()
  expect(message.id).toBe(id)
  return message
}

async function events(): Promise<EventResponse> {
  const stream = await openEvents(network.app.url, { operation: operation() })
  open.push({ close: () => stream.cut() })
  for (const kind of ['SNAPSHOT', 'CAUGHT_UP'])
    expect(JSON.parse((await stream.next())?.data ?? '')).toMatchObject(itemOf(kind).payload)
  return stream
}

async function callback(): Promise<string> {
  const id = randomUUID()
  const subscription = {
    callbackUrl: `${router.origin}/callback`,
    subscriptionId: id,
    verifier: 'v',
    heartbeatIntervalMs: 0,
  }
  const response = await fetch(`${network.app.url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json;callbackSpec=1.0',
      'x-router-secret': ROUTER_SECRET,
    },
    body: JSON.stringify({ ...operation(), extensions: { subscription } }),
  })
  expect(response.status).toBe(200)
  await expect.poll(() => toldOf(id).filter(({ action }) => action === 'next')).toHaveLength(2)
  return id
}

const toldOf = (id: string) => router.told.filter((message) => message.id === id)

// promise(sockets): Streams are limited per status token, owner and caller, over all transports; a payer who reloads
// the page is still served.
describe('the streams of one status token', () => {
  it('are 20 over all sockets, events and callbacks: the oldest ends with an error, and no other', async () => {
    const [oldestEvents, oldestCallback, socket] = [await events(), await callback(), await socketWith(MOST - 2)]
    expect(await openStreams()).toBe(MOST)

    const newest = await socketWith(1)
    expect(JSON.parse((await oldestEvents.next())?.data ?? '')).toMatchObject({ errors: [TOO_MANY] })
    expect(await oldestEvents.rest()).toMatchObject([{ event: 'complete' }])
    await events()
    await expect.poll(() => toldOf(oldestCallback).at(-1)).toMatchObject({ action: 'complete', errors: [TOO_MANY] })
    await callback()
    expect(await socket.next()).toMatchObject({ id: '0', type: 'next', payload: { errors: [TOO_MANY] } })
    expect(await socket.next()).toMatchObject({ id: '0', type: 'complete' })
    expect(await openStreams()).toBe(MOST)

    // The other streams of that socket continue, and so does the newest one.
    await network.sandbox.control.setStatus(link.id, 'pending')
    const told = await Promise.all(Array.from({ length: MOST - 3 }, () => socket.next()))
    expect(new Set(told.map(({ id }) => id)).size).toBe(MOST - 3)
    expect(await newest.next()).toMatchObject(itemOf('EVENT'))
  })

  it('serve a payer who loads the page 25 times, and leaves every socket behind', async () => {
    let page = await socketWith(1)
    for (let times = 1; times < 25; times += 1) page = await socketWith(1)
    expect(page.waiting).toEqual([])
    await network.sandbox.control.setStatus(link.id, 'pending')
    expect(await page.next()).toMatchObject(itemOf('EVENT'))
    expect(await openStreams()).toBe(MOST)
  })

  it('do not take the place of others: another link, its owner, or who may read all', async () => {
    const first = await socketWith(MOST)
    const owner = await network.token({ subject: 'customer-7', scopes: [] })
    const owned = await socketWith(MOST, owner)
    const all = await socketWith(MOST, await network.token())
    link = await createLink(network)
    await socketWith(MOST)
    expect([first, owned, all].flatMap(({ waiting }) => waiting)).toEqual([])
    expect(await openStreams()).toBe(4 * MOST)
  })
})

describe('the streams of one caller', () => {
  it('are bounded over all sockets: the next is refused, and none that works is ended', async () => {
    const token = await network.token()
    const sockets = [await socketWith(20, token), await socketWith(OF_CALLER - 20, token)]
    const socket = await socketWith(0, token)
    socket.send({ id: 'x', type: 'subscribe', payload: { query: LINK_UPDATES, variables: { id: link.id } } })
    expect(await socket.next()).toMatchObject({ id: 'x', payload: { errors: [TOO_MANY] } })
    expect(await socket.next()).toMatchObject({ id: 'x', type: 'complete' })
    expect(sockets.flatMap(({ waiting }) => waiting)).toEqual([])
    sockets[1]?.send({ id: '3', type: 'complete' })
    await expect.poll(openStreams).toBe(OF_CALLER - 1)
    await subscribe(socket, 'y', false)
  })
})
