import { afterAll, beforeAll, expect, it } from 'vitest'
import { watchPaymentLink } from '../../packages/client/src/index.ts'
import { pay } from '../support/checkout.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import { gauge } from '../support/streams.ts'
import { eventsOf, isCaughtUp, isPaid, keep, logAfter, QUICK } from './watching.ts'

const MOST = 2
const WATCHES = 5

let network: Network
beforeAll(async () => void (network = await startNetwork({ env: { SOCKET_LIMITS: `streamsPerToken=${MOST}` } })))
afterAll(() => network.close())

it('more pages than may follow a link at once all see it paid: those that are crowded out poll', async () => {
  const { id, statusToken, checkoutUrl } = await createLink(network)
  const options = { url: `${network.app.url}/graphql`, statusToken, pollMs: 20, timing: QUICK }
  const watches = Array.from({ length: WATCHES }, () => keep((more) => watchPaymentLink(id, { ...options, ...more })))
  await Promise.all(watches.map((watch) => watch.until(isCaughtUp)))
  // This settles soon: no watch loses its stream again and again.
  const polling = () => watches.filter(({ connections }) => connections.at(-1) === 'polling').length
  await expect.poll(polling).toBeGreaterThanOrEqual(WATCHES - MOST)
  expect(await gauge(network, 'payments_streams_open')).toBeLessThanOrEqual(MOST)

  await pay(checkoutUrl)
  await Promise.all(watches.map((watch) => watch.until(isPaid)))
  for (const { updates } of watches) {
    const log = await logAfter(network, updates[0]?.cursor ?? null, { linkIds: [id] })
    const events = eventsOf(updates)
    expect(events).toEqual(log.slice(0, events.length))
  }
  await Promise.all(watches.map((watch) => watch.leave()))
  await expect.poll(() => gauge(network, 'payments_streams_open')).toBe(0)
})
