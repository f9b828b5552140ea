import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { doubtfulDelivery, misaddressedDelivery, settle } from '../support/deliveries.ts'
import { openEvents } from '../support/events.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink, LINK_UPDATES } from '../support/operations.ts'
import { historyOf, REFRESH } from '../support/payments.ts'
import { greetedSocket } from '../support/socket.ts'
import { isCaughtUp } from '../support/streams.ts'
import { startUpstreamProxy, type UpstreamProxy } from '../support/upstream-proxy.ts'
import { deliveries } from '../support/webhooks.ts'

const HEALTH = `{ paymentsHealth {
  serverTime
  sites { id currencies availability lastAnswerAt methodsFetchedAt methodsStale }
  reads { waiting oldestUnconfirmedSince }
  deliveries { doubtful quarantined }
  reader { here leaseUntil }
  streams { sockets eventStreams callbacks subscriptions }
} }`

const BALANCES = '/v2/balances/detail'

type Health = {
  readonly serverTime: string
  readonly sites: readonly {
    readonly id: string
    readonly currencies: readonly string[]
    readonly availability: string
    readonly lastAnswerAt: string | null
    readonly methodsFetchedAt: string | null
    readonly methodsStale: boolean
  }[]
  readonly reads: { readonly waiting: number; readonly oldestUnconfirmedSince: string | null }
  readonly deliveries: { readonly doubtful: number; readonly quarantined: number }
  readonly reader: { readonly here: boolean; readonly leaseUntil: string | null }
  readonly streams: Readonly<Record<'sockets' | 'eventStreams' | 'callbacks' | 'subscriptions', number>>
}

let network: Network
let proxy: UpstreamProxy
beforeAll(async () => {
  proxy = await startUpstreamProxy()
  network = await startNetwork({ upstreamUrl: proxy.url, breaker: { least: 3, openMs: 50 } })
  proxy.target = network.sandbox.origin
})
afterEach(() => network.sandbox.control.clearFaults())
afterAll(async () => {
  await network.close()
  await proxy.close()
})

async function health(): Promise<Health> {
  const { data, errors } = await network.ask<{ paymentsHealth: Health }>(HEALTH)
  if (errors !== undefined) throw new Error(JSON.stringify(errors))
  return data.paymentsHealth
}

async function site(id: string): Promise<Health['sites'][number]> {
  const found = (await health()).sites.find((one) => one.id === id)
  if (found === undefined) throw new Error(`There is no site ${id}.`)
  return found
}

const balances = (currency: string) =>
  network.ask(`{ accountBalances(currencies: ["${currency}"]) { nodes { currency } } }`)

it('says that this process makes the planned reads, and until when it may', async () => {
  const { serverTime, reader } = await health()
  expect(reader.here).toBe(true)
  expect(Date.parse(reader.leaseUntil ?? '')).toBeGreaterThan(Date.parse(serverTime))
})

it('shows one instant in all of an answer, however long it takes to write', async () => {
  let now = Date.now()
  const hurried = await startNetwork({ clock: () => new Date((now += 1)) })
  const { data } = await hurried.ask<Record<'a' | 'b', { readonly serverTime: string }>>(
    '{ a: paymentsHealth { serverTime } b: paymentsHealth { serverTime } }',
  )
  await hurried.close()
  expect(data.a.serverTime).toBe(data.b.serverTime)
})

describe('the sites', () => {
  it('are available before anything was asked of them, and asking about them asks the payments API nothing', async () => {
    const krw = network.sandbox.sites.find(({ id }) => id === 'krw')
    const calls = () => network.sandbox.control.calls().filter(({ appId }) => appId === krw?.appId)
    const { serverTime, sites } = await health()
    expect(Math.abs(Date.parse(serverTime) - Date.now())).toBeLessThan(5_000)
    expect(sites.map(({ id, currencies }) => [id, currencies])).toEqual(
      network.sandbox.sites.map(({ id, currencies }) => [id, currencies]),
    )
    const untried = { availability: 'AVAILABLE', lastAnswerAt: null, methodsFetchedAt: null, methodsStale: false }
    expect(await site('krw')).toMatchObject(untried)
    expect(calls()).toEqual([])
  })

  it('tell when the payments API last answered, and how old the list of methods is', async () => {
    const before = Date.now()
    await network.ask('{ payinMethods(currencies: ["JPY"]) { nodes { code } } }')
    const { lastAnswerAt, methodsFetchedAt, methodsStale } = await site('jpy')
    for (const instant of [lastAnswerAt, methodsFetchedAt]) {
      expect(Date.parse(instant ?? '')).toBeGreaterThanOrEqual(before)
      expect(Date.parse(instant ?? '')).toBeLessThanOrEqual(Date.now())
    }
    expect(methodsStale).toBe(false)
  })

  it('are unavailable while the payments API is in trouble, probing while one request finds out, and then available', async () => {
    const { control } = network.sandbox
    await balances('VND')
    const { lastAnswerAt } = await site('vnd')
    expect(lastAnswerAt).not.toBeNull()
    control.addFault({ method: 'GET', path: BALANCES, times: 100, answer: { status: 503 } })
    const down = { availability: 'UNAVAILABLE', lastAnswerAt }
    await expect.poll(async () => (await balances('VND'), await site('vnd'))).toMatchObject(down)
    expect((await site('krw')).availability).toBe('AVAILABLE')

    control.clearFaults()
    const probe = proxy.holdNextGet(BALANCES)
    const asking = setInterval(() => void balances('VND'), 20)
    await probe.answered
    clearInterval(asking)
    expect(await site('vnd')).toMatchObject({ availability: 'PROBING', lastAnswerAt })
    probe.release()
    await expect.poll(async () => (await site('vnd')).availability).toBe('AVAILABLE')
    expect(Date.parse((await site('vnd')).lastAnswerAt ?? '')).toBeGreaterThan(Date.parse(lastAnswerAt ?? ''))
  })
})

describe('a site whose credentials are rejected', () => {
  let own: Network
  let wrong: Network
  beforeAll(async () => {
    own = await startNetwork()
    const sites = own.sandbox.sites.map((one) =>
      one.id === 'jpy' ? { ...one, secretKey: 'revoked-at-the-dashboard' } : one,
    )
    wrong = await startNetwork({ upstreamUrl: own.sandbox.url, env: { UPSTREAM_SITES: JSON.stringify(sites) } })
  })
  afterAll(async () => {
    await wrong.close()
    await own.close()
  })

  const ACCOUNTS =
    '{ accountBalances(currencies: ["AUD", "JPY"]) { nodes { currency } failures { site code message } } }'
  const stateOf = async (id: string) => {
    const { data } = await wrong.ask<{ paymentsHealth: Health }>('{ paymentsHealth { sites { id availability } } }')
    return data.paymentsHealth.sites.find((one) => one.id === id)?.availability
  }

  const PAYOUTS = '{ payouts(from: "2026-01-01", to: "2026-01-02", currency: "JPY") { nodes { id } } }'

  it('is named in the error, in the health, and once in the log', async () => {
    for (const _ of [1, 2])
      expect((await wrong.ask(PAYOUTS)).errors).toMatchObject([
        {
          message: 'The payments API rejected the credentials of the site.',
          extensions: { code: 'CREDENTIALS_REJECTED', site: 'jpy' },
        },
      ])
    expect(await stateOf('jpy')).toBe('CREDENTIALS_REJECTED')
    expect(await stateOf('aud')).toBe('AVAILABLE')
    expect(wrong.log().match(/rejects the credentials/g)).toHaveLength(1)
    expect(wrong.log()).not.toContain('revoked-at-the-dashboard')
  })

  it('leaves the balances of the others', async () => {
    const message = 'The payments API rejected the credentials of the site.'
    const failures = [{ site: 'jpy', code: 'CREDENTIALS_REJECTED', message }]
    const partial = { nodes: [{ currency: 'AUD' }], failures }
    expect((await wrong.ask(ACCOUNTS)).data['accountBalances']).toEqual(partial)
    const whole = { nodes: [{ currency: 'AUD' }, { currency: 'JPY' }], failures: [] }
    expect((await own.ask(ACCOUNTS)).data['accountBalances']).toEqual(whole)
  })
})

describe('what is to be done', () => {
  it('counts the reads that are due and not made, and tells since when', async () => {
    await settle(network)
    expect((await health()).reads).toEqual({ waiting: 0, oldestUnconfirmedSince: null })
    const link = await createLink(network)
    await network.sandbox.control.setStatus(link.id, 'pending')
    const read = proxy.holdNextRead()
    const before = Date.now()
    await network.sandbox.control.setStatus(link.id, 'failed')
    await read.answered
    const { reads } = await health()
    expect(reads.waiting).toBe(1)
    expect(Date.parse(reads.oldestUnconfirmedSince ?? '')).toBeGreaterThanOrEqual(before)
    read.release()
    await settle(network)
    expect((await health()).reads).toEqual({ waiting: 0, oldestUnconfirmedSince: null })
  })

  it('counts the deliveries in doubt until a read has decided, though they stay doubtful', async () => {
    const { link, paymentId } = await doubtfulDelivery(network)
    expect((await health()).deliveries.doubtful).toBe(0)

    const { control } = network.sandbox
    control.addFault({
      method: 'GET',
      path: '/v3/payin_links/*',
      times: 5,
      answer: { status: 404, body: { errors: {} } },
    })
    await control.deliver(link.id, { kind: 'late', status: 'pending' })
    await settle(network)
    // A repeated webhook made the payment doubtful again, and so the delivery that contradicts it.
    expect((await health()).deliveries.doubtful).toBe(1)

    control.clearFaults()
    await network.ask(REFRESH, { id: paymentId })
    expect((await health()).deliveries.doubtful).toBe(0)
    const doubtful = (await deliveries(network, [paymentId])).filter(({ disposition }) => disposition === 'DOUBTFUL')
    expect(doubtful).toHaveLength(1)
  })

  it('counts the deliveries that could not be used', async () => {
    const link = await createLink(network)
    await network.sandbox.control.setStatus(link.id, 'received')
    await settle(network)
    const { deliveries: before } = await health()
    await misaddressedDelivery(network, (await historyOf(network, link.id)).payment?.id ?? '')
    expect((await health()).deliveries).toEqual({ ...before, quarantined: before.quarantined + 1 })
  })
})

describe('what clients have open', () => {
  const NOTHING = { sockets: 0, eventStreams: 0, callbacks: 0, subscriptions: 0 }

  it('is counted over every transport, and no longer when it has ended', async () => {
    expect((await health()).streams).toEqual(NOTHING)
    const { id } = await createLink(network)
    const bare = await greetedSocket(network.app.url)
    const followed = await network.follow(LINK_UPDATES, { id })
    await followed.until(isCaughtUp)
    const events = await openEvents(network.app.url, {
      operation: { query: LINK_UPDATES, variables: { id } },
      headers: { authorization: `Bearer ${await network.token()}` },
    })
    await events.next()
    await events.next()
    await expect
      .poll(async () => (await health()).streams)
      .toEqual({
        ...NOTHING,
        sockets: 2,
        eventStreams: 1,
        subscriptions: 2,
      })
    bare.close()
    events.cut()
    await followed.end()
    await expect.poll(async () => (await health()).streams).toEqual(NOTHING)
  })
})
