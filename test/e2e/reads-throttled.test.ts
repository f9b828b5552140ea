import { afterAll, beforeAll, expect, it } from 'vitest'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import { historyOf, REFRESH } from '../support/payments.ts'
import { type Quiet, watchQuiet } from '../support/quiet.ts'
import { startUpstreamProxy, type UpstreamProxy } from '../support/upstream-proxy.ts'
import { virtualTime, type VirtualTime } from '../support/virtual-time.ts'

const SECOND = 1_000
const OCEANIA = { id: 'oceania', appId: 'app-oceania', secretKey: 'secret-of-oceania', currencies: ['AUD', 'NZD'] }

let network: Network
let proxy: UpstreamProxy
let quiet: Quiet
let time: VirtualTime
beforeAll(async () => {
  proxy = await startUpstreamProxy()
  quiet = watchQuiet(proxy)
  time = virtualTime({ start: new Date(), isQuiet: quiet.isQuiet })
  network = await startNetwork({
    clock: time.clock,
    timer: time.timer,
    upstreamUrl: proxy.url,
    sandbox: { sites: [OCEANIA] },
  })
  proxy.target = network.sandbox.origin
})
afterAll(async () => {
  await network.close()
  await proxy.close()
  quiet.close()
})

it('a 429 is obeyed to the second, by the plan and by whoever asks, and then every payment is read', async () => {
  const links = [await createLink(network), await createLink(network), await createLink(network)]
  network.sandbox.control.addFault({
    method: 'GET',
    path: '/v3/payin_links/*',
    // Two reads can be in flight before the first is rejected.
    times: 100,
    answer: { status: 429, headers: { 'retry-after': '120' } },
  })
  for (const { id } of links) await network.sandbox.control.setStatus(id, 'failed')
  const reads = () => proxy.calls.filter((call) => /^GET .*payin_links[/?]/.test(call)).length
  await time.passUntil(() => reads() > 0, 60 * SECOND)
  await time.pass(100 * SECOND)
  const throttled = reads()
  expect(throttled).toBeLessThanOrEqual(2)
  const [first] = links
  expect((await network.ask(REFRESH, { id: first?.id })).data).toMatchObject({
    refreshPayment: { __typename: 'UpstreamUnavailableError', retryAfterSeconds: expect.any(Number) },
  })
  expect(reads()).toBe(throttled)

  network.sandbox.control.clearFaults()
  await time.passUntil(async () => reads() > throttled && (await waiting()) === 0, 60 * SECOND)
  // One page of the list, or a read of each.
  expect(reads()).toBeLessThanOrEqual(throttled + links.length)
  for (const { id } of links)
    expect((await historyOf(network, id)).payment).toMatchObject({ status: 'FAILED', provisional: false })
})

async function waiting(): Promise<number> {
  const text = await (await fetch(`${network.app.url}/metrics`)).text()
  return Number(/^payments_reads_waiting (\d+)$/m.exec(text)?.[1] ?? Number.NaN)
}
