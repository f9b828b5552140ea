import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { watchPaymentLink, type WatchOptions } from '../../packages/client/src/index.ts'
import { act, pay } from '../support/checkout.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink, type CreatedLink } from '../support/operations.ts'
import { startFrontProxy, type FrontProxy } from './front-proxy.ts'
import { eventsOf, isCaughtUp, isPaid, keep, logAfter, QUICK, type Watching } from './watching.ts'

let network: Network
let proxy: FrontProxy
let link: CreatedLink
beforeAll(async () => {
  network = await startNetwork()
  return () => network.close()
})
beforeEach(async () => {
  proxy = await startFrontProxy(network.app.url)
  link = await createLink(network)
})
afterEach(() => proxy.close())

it.each([
  { refused: ['socket'], comes: 'live', open: ['sse'] },
  { refused: ['socket', 'sse'], comes: 'polling', open: [] },
] as const)('where $refused is refused, it is $comes', async ({ refused, comes, open }) => {
  for (const transport of refused) proxy.refused.add(transport)
  const watch = watchLink()
  await watch.until(isCaughtUp)
  expect(watch.connections).toEqual(['connecting', comes])
  expect(proxy.open).toEqual(open)
  await expectLog(watch)
})

it('where a proxy keeps events for itself, the link is asked for', async () => {
  proxy.refused.add('socket')
  proxy.buffersEvents = true
  const watch = watchLink({ timing: { ...QUICK, openMs: 200 } })
  await watch.untilConnection('polling')
  await expectLog(watch)
  expect(watch.connections).toEqual(['connecting', 'polling', 'closed'])
})

it('goes back to a socket when one can be had again, and goes on from its cursor', async () => {
  proxy.refused.add('socket').add('sse')
  const watch = watchLink({ timing: { ...QUICK, upgradeMs: 100 } })
  await watch.untilConnection('polling')
  await pay(link.checkoutUrl)
  await watch.until(({ kind }) => kind === 'EVENT')
  proxy.refused.clear()
  await watch.untilConnection('live')
  await expect.poll(() => proxy.open).toEqual(['socket'])
  await watch.until(isPaid)
  await act(link.checkoutUrl, 'done').catch(() => {})
  await expectWhole(watch)
})

it('asks by polling for nothing that has not changed', async () => {
  const watch = watchLink({ transports: ['polling'] })
  await watch.until(isCaughtUp)
  const before = proxy.asked.http
  await expect.poll(() => proxy.asked.http).toBeGreaterThan(before + 5)
  expect(watch.updates.map(({ kind }) => kind)).toEqual(['SNAPSHOT', 'CAUGHT_UP'])
  await watch.leave()
})

it('tells that nobody can be reached, and comes back at once when the app wakes up', async () => {
  proxy.refused.add('socket').add('sse').add('http')
  const { wake, wakeUp } = sleeper()
  const watch = watchLink({
    timing: { ...QUICK, retryMs: 60_000, retryMaxMs: 60_000 },
    wake,
  })
  await watch.untilConnection('offline')
  proxy.refused.clear()
  wakeUp()
  await watch.until(isCaughtUp)
  expect(watch.connections).toEqual(['connecting', 'offline', 'live'])
  await expectLog(watch)
})

it.each(['socket', 'sse'] as const)('a %s that died in silence is noticed when the app wakes up', async (transport) => {
  const { wake, wakeUp } = sleeper()
  const watch = watchLink({
    transports: [transport],
    // With server-sent events the client cannot ping: only a missing heartbeat shows that the connection is dead.
    timing: { ...QUICK, silenceMs: 400 },
    wake,
  })
  await watch.until(isCaughtUp)
  proxy.silence()
  wakeUp()
  const noticed = transport === 'socket' ? 'reconnecting' : 'offline'
  await watch.untilConnection(noticed)
  await watch.untilConnection('live')
  await expectLog(watch)
  expect(watch.connections).toEqual(['connecting', 'live', noticed, 'live', 'closed'])
})

/** An app that the test wakes up. */
function sleeper() {
  let woken = () => {}
  const wake = (check: () => void) => {
    woken = check
    return () => {}
  }
  return { wake, wakeUp: () => woken() }
}

function watchLink(options: Partial<WatchOptions> = {}): Watching {
  const usual = { url: proxy.url, statusToken: link.statusToken, pollMs: 10, timing: QUICK }
  return keep((more) => watchPaymentLink(link.id, { ...usual, ...options, ...more }))
}

/** Pays, and ends the watch once it has delivered the whole log. */
async function expectLog(watch: Watching): Promise<void> {
  await pay(link.checkoutUrl)
  await watch.until(isPaid)
  await expectWhole(watch)
}

async function expectWhole(watch: Watching): Promise<void> {
  await network.sandbox.settle()
  const log = await logAfter(network, watch.updates[0]?.cursor ?? null, { linkIds: [link.id] })
  await expect.poll(() => eventsOf(watch.updates)).toEqual(log)
  await watch.leave()
}
