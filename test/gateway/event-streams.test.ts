import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pay } from '../support/checkout.ts'
import { createLink, LINK_UPDATES } from '../support/operations.ts'
import { StreamError } from '../support/stream.ts'
import { brokenLinks, gauge, isCaughtUp, isReceived, sequences } from '../support/streams.ts'
import { ROUTER_SECRET, startStage, type Stage } from './stage.ts'

describe('a stream that comes to the gateway as server-sent events', () => {
  let stage: Stage
  beforeAll(async () => void (stage = await startStage({ gatewayEnv: { STREAMS: 'http' } })))
  afterAll(() => stage.close())

  it('gives the state and what is new, with the token of its client and the secret of the router', async () => {
    const link = await createLink(stage.network)
    const token = await stage.network.token()
    stage.proxy.clear()
    const stream = await stage.follow(LINK_UPDATES, { id: link.id }, { token })
    await stream.until(isCaughtUp)
    await pay(link.checkoutUrl)
    await stream.until(isReceived)
    await stream.end()
    expect(sequences(stream.items)).toEqual([2, 3, 4, 5])
    expect(brokenLinks(stream.items)).toEqual([])
    expect(stage.proxy.upgrades).toEqual([])
    await expect.poll(() => gauge(stage.network, 'payments_streams_open')).toBe(0)
    expect(stage.proxy.requests.map(({ headers }) => [headers.authorization, headers['x-router-secret']])).toEqual([
      [`Bearer ${token}`, ROUTER_SECRET],
    ])
  })

  it('ends with an error when the subgraph is restarted, and goes on after its last cursor', async () => {
    const { id } = await createLink(stage.network)
    const first = await stage.follow(LINK_UPDATES, { id })
    await first.until(isCaughtUp)
    await stage.network.sandbox.control.setStatus(id, 'pending')
    await first.until((item) => item.event?.toStatus === 'pending')
    const ended = first.next()
    await Promise.all([expect(ended).rejects.toBeInstanceOf(StreamError), stage.network.restart()])
    await stage.network.sandbox.control.setStatus(id, 'received')
    const second = await stage.follow(LINK_UPDATES, { id, after: first.items.at(-1)?.cursor })
    await second.until(isReceived)
    await second.end()
    const all = [...first.items, ...second.items]
    expect(sequences(all)).toEqual([2, 3])
    expect(brokenLinks(all)).toEqual([])
  })
})
