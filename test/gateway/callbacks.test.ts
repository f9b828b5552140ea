import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pay } from '../support/checkout.ts'
import { createLink, LINK_UPDATES } from '../support/operations.ts'
import { brokenLinks, gauge, isCaughtUp, isReceived, sequences } from '../support/streams.ts'
import { ROUTER_SECRET, startStage, type Stage } from './stage.ts'

const gatewayEnv = { STREAMS: 'callback' }
/** The subgraph notices a missing subscriber at its next heartbeat, and retries a few times if the gateway does not answer. */
const LET_GO = { timeout: 15_000 }

describe('a stream that comes to the gateway by callback', () => {
  let stage: Stage
  beforeAll(async () => void (stage = await startStage({ gatewayEnv })))
  afterAll(() => stage.close())

  const open = () => gauge(stage.network, 'payments_callback_subscriptions_open')
  const become = async (id: string, status: 'pending' | 'authorised' | 'received') => {
    await stage.network.sandbox.control.setStatus(id, status)
    await stage.network.sandbox.settle()
  }
  /** Follows a link until its payment is pending. Returns the stream. */
  const untilPending = async (id: string) => {
    const stream = await stage.follow(LINK_UPDATES, { id })
    await stream.until(isCaughtUp)
    await become(id, 'pending')
    await stream.until((item) => item.event?.toStatus === 'pending')
    return stream
  }

  it('gives the state and what is new, with the token of its client and the secret of the router', async () => {
    const link = await createLink(stage.network)
    const token = await stage.network.token()
    stage.proxy.clear()
    const stream = await stage.follow(LINK_UPDATES, { id: link.id }, { token })
    await stream.until(isCaughtUp)
    expect(await open()).toBeGreaterThan(0)
    await pay(link.checkoutUrl)
    await stream.until(isReceived)
    await stream.end()
    expect(sequences(stream.items)).toEqual([2, 3, 4, 5])
    expect(brokenLinks(stream.items)).toEqual([])
    expect(stage.proxy.upgrades).toEqual([])
    expect(stage.proxy.requests.map(({ headers }) => [headers.authorization, headers['x-router-secret']])).toEqual([
      [`Bearer ${token}`, ROUTER_SECRET],
    ])
    await expect.poll(open, LET_GO).toBe(0)
  })

  it('ends at the subgraph when the gateway is gone, and goes on after its last cursor when it is back', async () => {
    const { id } = await createLink(stage.network)
    const first = await untilPending(id)
    const ended = first.next()
    await Promise.all([expect(ended).rejects.toMatchObject({ code: 1006 }), stage.killGateway()])
    await expect.poll(open, LET_GO).toBe(0)
    expect(await gauge(stage.network, 'payments_streams_open')).toBe(0)
    await become(id, 'authorised')
    await stage.restartGateway()
    const second = await stage.follow(LINK_UPDATES, { id, after: first.items.at(-1)?.cursor })
    await second.until(isCaughtUp)
    await become(id, 'received')
    await second.until(isReceived)
    await second.end()
    const all = [...first.items, ...second.items]
    expect(sequences(all)).toEqual([2, 3, 4])
    expect(brokenLinks(all)).toEqual([])
  })
})
