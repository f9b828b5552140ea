import { afterAll, beforeAll, expect, it } from 'vitest'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import { historyOf, REFRESH } from '../support/payments.ts'
import { type Quiet, watchQuiet } from '../support/quiet.ts'
import { startUpstreamProxy, type UpstreamProxy } from '../support/upstream-proxy.ts'
import { virtualTime, type VirtualTime } from '../support/virtual-time.ts'

const SECOND = 1_000
const HEALTH = '{ paymentsHealth { sites { availability } } }'
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

// promise(facts): A throttled site pauses at most five minutes, and delays no other site.
it.each([429, 503])(
  'a %i that asks for a day is obeyed by the plan for minutes, and told; a person still asks',
  async (status) => {
    const before = proxy.calls.length
    const links = [await createLink(network), await createLink(network), await createLink(network)]
    network.sandbox.control.addFault({
      method: 'GET',
      path: '/v3/payin_links*',
      // Two reads can be in flight before the first is rejected.
      times: 100,
      answer: { status, headers: { 'retry-after': '86400' } },
    })
    for (const { id } of links) await network.sandbox.control.setStatus(id, 'failed')
    const reads = () => proxy.calls.slice(before).filter((call) => /^GET .*payin_links[/?]/.test(call)).length
    await time.passUntil(() => reads() > 0, 60 * SECOND)
    await time.pass(200 * SECOND)
    const throttled = reads()
    // Without a retry: the client of the payments API would repeat a 5xx at once.
    expect(throttled).toBeLessThanOrEqual(2)
    expect((await network.ask(HEALTH)).data).toMatchObject({
      paymentsHealth: { sites: [{ availability: 'READS_PAUSED' }] },
    })
    expect(await figure('payments_reads_paused_seconds{site="oceania"}')).toBeCloseTo(100, -1)

    network.sandbox.control.clearFaults()
    const [first] = links
    expect((await network.ask(REFRESH, { id: first?.id })).data).toMatchObject({
      refreshPayment: { __typename: 'RefreshPaymentSuccess' },
    })
    expect(reads()).toBe(throttled + 1)
    // Its answer ends the pause.
    await time.passUntil(async () => (await figure('payments_reads_waiting')) === 0, 60 * SECOND)
    // One page of the list, or a read of each.
    expect(reads()).toBeLessThanOrEqual(throttled + 1 + links.length)
    for (const { id } of links)
      expect((await historyOf(network, id)).payment).toMatchObject({ status: 'FAILED', provisional: false })
  },
)

async function figure(name: string): Promise<number> {
  const text = await (await fetch(`${network.app.url}/metrics`)).text()
  const line = text.split('\n').find((one) => one.startsWith(`${name} `))
  return Number(line?.slice(name.length) ?? Number.NaN)
}
