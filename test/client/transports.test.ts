import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { ask, watchPaymentLink, type WatchOptions } from '../../packages/client/src/index.ts'
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
  const { wake, wakeUp } = sleeper()
  const watch = watchLink({ timing: { ...QUICK, retryMs: 60_000, retryMaxMs: 60_000 }, wake })
  await watch.until(isCaughtUp)
  proxy.refused.add('socket').add('sse').add('http')
  proxy.cut()
  // Each wake-up ends a wait: three connections without data count as a transport that does not work.
  await watch.untilConnection('reconnecting')
  wakeUp()
  await watch.untilConnection('offline')
  proxy.refused.clear()
  wakeUp()
  await watch.untilConnection('live')
  expect(watch.connections).toEqual(['connecting', 'live', 'reconnecting', 'offline', 'live'])
  await expectLog(watch)
})

it('gives up after five tries when nothing has ever answered, with an error that says what to check', async () => {
  const closed = await startFrontProxy('http://127.0.0.1:1')
  await closed.close()
  const watch = keep((more) => watchPaymentLink('any', { url: closed.url, timing: QUICK, ...more }))
  await expect(watch.until(isCaughtUp)).rejects.toMatchObject({
    code: 'NETWORK',
    retryable: true,
    message: `No answer from ${closed.url}. Check that the URL is right and the server runs.`,
  })
  expect(watch.connections).toEqual(['connecting', 'offline', 'closed'])
})

it('ends at once when something else than the graph answers, or where nothing could', async () => {
  proxy.refused.add('socket').add('sse').add('http')
  const watch = watchLink()
  await expect(watch.until(isCaughtUp)).rejects.toMatchObject({ code: 'BAD_RESPONSE', status: 403 })
  expect(proxy.asked).toEqual({ socket: 1, sse: 1, http: 1 })
  for (const url of ['', '/graphql', 'shop.example/graphql', 'ftp://shop.example/graphql']) {
    const nowhere = keep((more) => watchPaymentLink(link.id, { url, ...more }))
    await expect(nowhere.until(isCaughtUp)).rejects.toMatchObject({ code: 'INVALID_URL', retryable: false })
    await expect(ask('{ any }', {}, { url })).rejects.toMatchObject({ code: 'INVALID_URL' })
  }
})

it('keeps trying a server that is away for a moment, and has its socket at once when it is back', async () => {
  const { port } = new URL(proxy.url)
  await proxy.close()
  const watch = watchLink({ timing: { ...QUICK, retryMs: 400, retryMaxMs: 400 } })
  await watch.untilConnection('offline')
  proxy = await startFrontProxy(network.app.url, Number(port))
  await watch.untilConnection('live')
  expect(watch.connections).toEqual(['connecting', 'offline', 'polling', 'live'])
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
