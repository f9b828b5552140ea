import { afterAll, beforeAll, expect, it } from 'vitest'
import { startNetwork, type Network } from '../support/network.ts'
import { brokenLinks, gauge, isCaughtUp } from '../support/streams.ts'
import { defaultAddress, deliver, paymentBody } from '../support/webhooks.ts'
import { eventsOf, follow } from './sockets-reconnect.ts'

let network: Network
beforeAll(async () => void (network = await startNetwork()))
afterAll(() => network.close())

const LIVES = 3

it('a token that expires again and again costs the official client nothing: it comes back with a new one', async () => {
  let issued = 0
  const steady = follow({ url: network.app.url, token: () => network.token() })
  const follower = follow({
    url: network.app.url,
    token: () => network.token({ scopes: ['payments:read'], ttlSeconds: issued++ < LIVES ? 2 : 600 }),
  })
  await Promise.all([steady.until(isCaughtUp), follower.until(isCaughtUp)])
  let told = 0
  while (follower.closed.length < LIVES) await tell(`status_${told++}`)
  await tell('the_end')
  const isLast = ({ event }: { event?: { toStatus: string | null } | null }) => event?.toStatus === 'the_end'
  await Promise.all([steady.until(isLast), follower.until(isLast)])
  expect(follower.closed).toEqual(Array.from({ length: LIVES }, () => 4403))
  expect(issued).toBe(LIVES + 1)
  expect(eventsOf(follower)).toEqual(eventsOf(steady))
  expect(eventsOf(follower).length).toBeGreaterThan(told)
  expect(brokenLinks(follower.items)).toEqual([])
  await Promise.all([steady.leave(), follower.leave()])
  await expect.poll(() => gauge(network, 'payments_streams_open')).toBe(0)
})

it('a token of fewer scopes, after the reconnect, is told so, and gets nothing', async () => {
  let first = true
  const follower = follow({
    url: network.app.url,
    token: async () => {
      const token = await network.token({ scopes: first ? ['payments:read'] : ['balances:read'], ttlSeconds: 2 })
      first = false
      return token
    },
  })
  await follower.until(isCaughtUp)
  const before = follower.items.length
  await expect(follower.until(() => false)).rejects.toMatchObject([{ extensions: { code: 'FORBIDDEN' } }])
  await tell('unseen')
  expect(follower.items.length).toBe(before)
  await follower.leave()
})

let payments = 0

async function tell(status: string): Promise<void> {
  const body = paymentBody({ uuid: `00000000-0000-4000-8000-${String(++payments).padStart(12, '0')}`, status })
  expect((await deliver(defaultAddress(network), body)).status).toBe(200)
}
