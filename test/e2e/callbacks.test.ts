import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  accepted,
  startCallbackRouter,
  type CallbackRouter,
  type Reply,
  type Told,
} from '../support/callback-router.ts'
import { pay } from '../support/checkout.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink, LINK_UPDATES } from '../support/operations.ts'
import type { Item } from '../support/stream.ts'
import { brokenLinks, gauge, isCaughtUp, paidStream, sequences } from '../support/streams.ts'

const ROUTER_SECRET = 'secret-of-the-router-1'
const ACCEPT = 'application/json;callbackSpec=1.0'

let router: CallbackRouter
let network: Network
const start = async () => {
  router = await startCallbackRouter()
  network = await startNetwork({ env: { CALLBACK_ORIGINS: router.origin, ROUTER_SECRETS: ROUTER_SECRET } })
}
beforeAll(start)
afterAll(async () => {
  await network.close()
  await router.close()
})
afterEach(() => router.reply(accepted))

type Asked = {
  readonly extension?: Record<string, unknown>
  readonly headers?: Readonly<Record<string, string>>
  readonly query?: string
  readonly variables?: Record<string, unknown>
}

/** Subscribes as a router does. Returns the answer and the id of the subscription. */
async function subscribe({ extension = {}, headers = {}, query = LINK_UPDATES, variables = {} }: Asked) {
  const id = randomUUID()
  const subscription = {
    callbackUrl: `${router.origin}/callback/${id}`,
    subscriptionId: id,
    verifier: `verifier-${id}`,
    heartbeatIntervalMs: 0,
    ...extension,
  }
  const response = await fetch(`${network.app.url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: ACCEPT,
      authorization: `Bearer ${await network.token()}`,
      'x-router-secret': ROUTER_SECRET,
      ...headers,
    },
    body: JSON.stringify({ query, variables, extensions: { subscription } }),
  })
  const body = (await response.json()) as { data?: unknown; errors?: { extensions: { code: string } }[] }
  return { id, status: response.status, protocol: response.headers.get('subscription-protocol'), body }
}

const toldOf = (id: string): Told[] => router.told.filter((message) => message.id === id)
const itemsOf = (id: string): Item[] => toldOf(id).flatMap(({ payload }) => Object.values(payload?.data ?? {}))
const actions = (id: string) => toldOf(id).map(({ action }) => action)
const open = () => gauge(network, 'payments_callback_subscriptions_open')

/** Sets the router's reply to messages of one action. */
const replyTo = (action: Told['action'], reply: Reply) =>
  router.reply((message) => (message.action === action ? reply : accepted()))

describe('a subscription with callbacks', () => {
  it('is checked first, then told of the state and of what comes, each message in the form of the protocol', async () => {
    const link = await createLink(network)
    const { id, status, protocol, body } = await subscribe({ variables: { id: link.id } })
    expect({ status, protocol, body }).toEqual({ status: 200, protocol: 'callback/1.0', body: { data: null } })
    await expect.poll(() => itemsOf(id).some(isCaughtUp)).toBe(true)
    await pay(link.checkoutUrl)
    await expect.poll(() => sequences(itemsOf(id))).toEqual([2, 3, 4, 5])
    expect(brokenLinks(itemsOf(id))).toEqual([])
    expect(actions(id)).toEqual(['check', ...Array(6).fill('next')])
    for (const message of toldOf(id))
      expect(message).toMatchObject({
        path: `/callback/${id}`,
        protocol: 'callback/1.0',
        kind: 'subscription',
        verifier: `verifier-${id}`,
      })
    router.reply(() => 404)
    await network.sandbox.control.setStatus(link.id, 'in_dispute')
    await expect.poll(open).toBe(0)
  })

  it('continues after a cursor', async () => {
    const { link, items } = await paidStream(network)
    const { id } = await subscribe({ variables: { id: link.id, after: items[3]?.cursor } })
    await expect.poll(() => itemsOf(id).some(isCaughtUp)).toBe(true)
    expect(brokenLinks(itemsOf(id), items[3]?.cursor)).toEqual([])
    replyTo('next', 404)
    await network.sandbox.control.setStatus(link.id, 'in_dispute')
    await expect.poll(open).toBe(0)
  })

  it('gives signs of life, and ends when the router does not know it any more', async () => {
    const link = await createLink(network)
    const { id } = await subscribe({ variables: { id: link.id }, extension: { heartbeatIntervalMs: 100 } })
    await expect.poll(() => actions(id).filter((action) => action === 'check').length).toBeGreaterThanOrEqual(3)
    replyTo('check', 404)
    await expect.poll(open).toBe(0)
    const told = toldOf(id).length
    await pay(link.checkoutUrl)
    expect(toldOf(id)).toHaveLength(told)
    expect(await gauge(network, 'payments_streams_open')).toBe(0)
  })

  it('gives a sign of life before the interval of its router is over', async () => {
    const link = await createLink(network)
    const heartbeatIntervalMs = 2_000
    const begun = performance.now()
    const { id } = await subscribe({ variables: { id: link.id }, extension: { heartbeatIntervalMs } })
    const checks = () => actions(id).filter((action) => action === 'check').length
    await expect.poll(checks, { interval: 10 }).toBe(2)
    expect(performance.now() - begun).toBeLessThan(heartbeatIntervalMs)
    replyTo('next', 404)
    await network.sandbox.control.setStatus(link.id, 'pending')
    await expect.poll(open).toBe(0)
  })

  it('that is refused is complete with the reason', async () => {
    const { id, status } = await subscribe({ variables: { id: 'no-such-link' } })
    expect(status).toBe(200)
    await expect.poll(() => actions(id)).toEqual(['check', 'complete'])
    expect(toldOf(id).at(-1)?.errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }])
    await expect.poll(open).toBe(0)
  })

  it('that has come to its end is complete', async () => {
    const link = await createLink(network)
    const { id } = await subscribe({ variables: { id: link.id, after: 'forged' } })
    await expect.poll(() => actions(id)).toEqual(['check', 'next', 'complete'])
    expect(toldOf(id).at(-1)).not.toHaveProperty('errors')
  })

  it('ends with its token', async () => {
    const link = await createLink(network)
    const headers = { authorization: `Bearer ${await network.token({ ttlSeconds: 2 })}` }
    const { id } = await subscribe({ variables: { id: link.id }, headers })
    await expect.poll(() => actions(id)).toEqual(['check', 'next', 'next', 'complete'])
    expect(toldOf(id).at(-1)?.errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }])
  })
})

describe('a router that', () => {
  it.each<[string, Reply, number]>([
    ['does not know the verifier', 400, 400],
    ['does not know the subscription', 404, 400],
    ['does not speak the protocol', 204, 400],
    ['speaks another version', { status: 204, headers: { 'subscription-protocol': 'callback/2.0' } }, 400],
    ['is a page', { status: 200, headers: { 'subscription-protocol': 'callback/1.0' } }, 400],
    ['leads elsewhere', { status: 307, headers: { location: 'http://127.0.0.1:9/' } }, 400],
    ['fails', 500, 503],
  ])('%s gets no subscription', async (_what, reply, status) => {
    const link = await createLink(network)
    replyTo('check', reply)
    const answer = await subscribe({ variables: { id: link.id } })
    expect(answer.status).toBe(status)
    expect(actions(answer.id)).toEqual(['check'])
    expect(await open()).toBe(0)
  })

  it('fails for a moment is told again, and misses nothing', async () => {
    const { link, items } = await paidStream(network)
    let failures = 2
    router.reply(({ action }) => (action === 'next' && failures-- > 0 ? 503 : accepted()))
    const { id } = await subscribe({ variables: { id: link.id, after: items[0]?.cursor } })
    await expect.poll(() => itemsOf(id).some(isCaughtUp)).toBe(true)
    expect(sequences(itemsOf(id))).toEqual([2, 2, 2, 3, 4, 5])
    replyTo('next', 410)
    await network.sandbox.control.setStatus(link.id, 'in_dispute')
    await expect.poll(open).toBe(0)
  })

  it.each<[string, Reply, string[]]>([
    ['fails again and again', 500, ['check', 'next', 'next', 'next']],
    ['refuses an item', 404, ['check', 'next']],
    ['redirects an item', { status: 308, headers: { location: 'http://127.0.0.1:9/' } }, ['check', 'next']],
  ])('%s is told nothing more', async (_what, reply, messages) => {
    const { link } = await paidStream(network)
    replyTo('next', reply)
    const { id } = await subscribe({ variables: { id: link.id } })
    await expect.poll(open).toBe(0)
    expect(actions(id)).toEqual(messages)
    expect(await gauge(network, 'payments_streams_open')).toBe(0)
  })

  it('is slow holds up nobody else, and is sent one message at a time', async () => {
    const { link, items } = await paidStream(network)
    const variables = { id: link.id, after: items[0]?.cursor }
    let slow = ''
    router.reply(({ id, action }) => (id === slow && action === 'next' ? 'silence' : accepted()))
    slow = randomUUID()
    const extension = { subscriptionId: slow, callbackUrl: `${router.origin}/callback/${slow}` }
    await subscribe({ variables, extension })
    const { id } = await subscribe({ variables })
    await expect.poll(() => itemsOf(id).some(isCaughtUp)).toBe(true)
    expect(actions(slow)).toEqual(['check', 'next'])
    router.reply(() => 404)
    await network.sandbox.control.setStatus(link.id, 'in_dispute')
    await expect.poll(open).toBe(0)
  })
})

describe('an address', () => {
  const port = () => new URL(router.origin).port
  it.each<[string, () => unknown]>([
    ['of another host', () => `http://localhost:${port()}/callback/x`],
    ['of another port', () => 'http://127.0.0.1:9/callback/x'],
    ['of another scheme', () => `https://127.0.0.1:${port()}/callback/x`],
    ['with the origin as a name', () => `http://127.0.0.1:${port()}@evil.test/callback`],
    ['with a name and a password', () => `http://user:pass@127.0.0.1:${port()}/callback`],
    ['whose host begins like it', () => `http://127.0.0.1:${port()}.evil.test/callback`],
    ['with the origin behind a backslash', () => `http://evil.test\\@127.0.0.1:${port()}/`],
    ['with a line break', () => `http://127.0.0.1:${port()}/\r\nhost: evil.test`],
    ['of the metadata of a cloud', () => 'http://169.254.169.254/latest/meta-data'],
    ['of the machine in another notation', () => 'http://0x7f.1:1/'],
    ['of a file', () => 'file:///etc/passwd'],
    ['without a host', () => '/callback/x'],
    ['with a fragment', () => `http://127.0.0.1:${port()}/callback#x`],
    ['that is none', () => 7],
    ['that is missing', () => undefined],
  ])('%s is refused before anything is connected to', async (_what, callbackUrl) => {
    const link = await createLink(network)
    const connections = router.connections()
    const told = router.told.length
    const { status, body } = await subscribe({ variables: { id: link.id }, extension: { callbackUrl: callbackUrl() } })
    expect([400, 403]).toContain(status)
    expect(body.errors?.[0]?.extensions.code).toMatch(/^(BAD_REQUEST|FORBIDDEN)$/)
    expect([router.connections(), router.told.length]).toEqual([connections, told])
  })

  it.each<[string, Asked, number]>([
    ['without the secret of a router', { headers: { 'x-router-secret': 'wrong' } }, 401],
    ['without an id', { extension: { subscriptionId: '' } }, 400],
    ['without a verifier', { extension: { verifier: null } }, 400],
    ['with half a heartbeat', { extension: { heartbeatIntervalMs: 0.5 } }, 400],
    ['with a document that is none', { query: 'subscription {' }, 400],
    ['with a token that does not hold', { headers: { authorization: 'Bearer nonsense' } }, 401],
  ])('that is right, %s, is not used either', async (_what, asked, status) => {
    const told = router.told.length
    const link = await createLink(network)
    expect((await subscribe({ variables: { id: link.id }, ...asked })).status).toBe(status)
    expect(router.told).toHaveLength(told)
  })

  it('is used for one subscription of an id', async () => {
    const link = await createLink(network)
    const { id } = await subscribe({ variables: { id: link.id } })
    const again = await subscribe({ variables: { id: link.id }, extension: { subscriptionId: id } })
    expect(again.status).toBe(400)
    replyTo('next', 404)
    await network.sandbox.control.setStatus(link.id, 'pending')
    await expect.poll(open).toBe(0)
  })

  it('is ignored where no router is named', async () => {
    const off = await startNetwork()
    try {
      const headers = { accept: ACCEPT }
      const answer = await off.ask('subscription { paymentEventStream { kind } }', {}, { headers })
      expect(answer).toMatchObject({ status: 400, errors: [{ extensions: { code: 'BAD_REQUEST' } }] })
    } finally {
      await off.close()
    }
  })
})

describe('a subscription too many', () => {
  it('is refused', async () => {
    const few = await startNetwork({
      env: { CALLBACK_ORIGINS: router.origin, ROUTER_SECRETS: ROUTER_SECRET },
      limits: { callbackSubscriptions: 1 },
    })
    const usual = network
    try {
      network = few
      const link = await createLink(few)
      expect((await subscribe({ variables: { id: link.id } })).status).toBe(200)
      expect((await subscribe({ variables: { id: link.id } })).status).toBe(503)
    } finally {
      network = usual
      await few.close()
    }
  })
})

describe('a stop', () => {
  it('tells the router that its subscriptions are interrupted', async () => {
    const link = await createLink(network)
    const { id } = await subscribe({ variables: { id: link.id } })
    await expect.poll(() => itemsOf(id).some(isCaughtUp)).toBe(true)
    await network.restart()
    expect(actions(id)).toEqual(['check', 'next', 'next', 'complete'])
    expect(toldOf(id).at(-1)?.errors).toMatchObject([{ extensions: { code: 'UNAVAILABLE' } }])
  })
})
