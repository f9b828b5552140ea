import { array, assert, asyncProperty, integer, oneof } from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { watchPaymentLink, type Transport } from '../../packages/client/src/index.ts'
import { newSeed } from '../faults/random.ts'
import { pay } from '../support/checkout.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import { startFrontProxy, type FrontProxy } from './front-proxy.ts'
import { eventsOf, isPaid, keep, logAfter, QUICK } from './watching.ts'

let network: Network
let proxy: FrontProxy
beforeAll(async () => {
  network = await startNetwork()
  proxy = await startFrontProxy(network.app.url)
})
afterAll(async () => {
  await proxy.close()
  await network.close()
})

const seed = newSeed()
const WAYS: readonly { readonly transports: readonly Transport[] }[] = [
  { transports: ['socket'] },
  { transports: ['sse'] },
  { transports: ['polling'] },
  { transports: ['socket', 'sse', 'polling'] },
]

// A handshake takes about 200 bytes and an item about 1,000: cuts fall into handshakes, between items and within items.
const budgets = array(oneof(...[150, 400, 2_500, 9_000].map((max) => integer({ min: 1, max }))), { maxLength: 6 })

it.each(WAYS)(
  `what came over $transports is the log, wherever it is cut (seed ${seed})`,
  async ({ transports }) => {
    const isStream = !transports.includes('polling')
    await assert(
      asyncProperty(budgets, async (given) => {
        // The first connection has five tries to open.
        proxy.budgets.splice(0, Infinity, ...given.toSpliced(3, 0, 20_000))
        const { updates, linkId } = await watchedPayment(transports)
        const [first, ...others] = updates
        expect(first?.kind).toBe('SNAPSHOT')
        expect(isStream && others.some(({ kind }) => kind === 'SNAPSHOT')).toBe(false)
        const log = await logAfter(network, first?.cursor ?? null, { linkIds: [linkId] })
        const events = eventsOf(updates)
        expect(events).toEqual(log.slice(0, events.length))
        expect(updates.at(-1)?.payment?.status).toBe('RECEIVED')
      }),
      { seed, numRuns: 8, endOnFailure: true },
    )
  },
  300_000,
)

/** Creates a link, watches it through the proxy, and pays it. Returns all updates up to the one that is paid. */
async function watchedPayment(transports: readonly Transport[]) {
  const { id, statusToken, checkoutUrl } = await createLink(network)
  const options = { url: proxy.url, statusToken, transports, pollMs: 5, timing: QUICK }
  const watch = keep((more) => watchPaymentLink(id, { ...options, ...more }))
  await watch.until(({ kind }) => kind === 'SNAPSHOT')
  await pay(checkoutUrl)
  await watch.until(isPaid)
  const updates = watch.updates.slice(0, watch.updates.findIndex(isPaid) + 1)
  await watch.leave()
  await network.sandbox.settle()
  return { updates, linkId: id }
}
