import { onTestFinished } from 'vitest'
import { startNetwork } from '../support/network.ts'
import { watchQuiet } from '../support/quiet.ts'
import { startUpstreamProxy } from '../support/upstream-proxy.ts'
import { virtualTime } from '../support/virtual-time.ts'

const SITE = { id: 'oceania', appId: 'app-oceania', secretKey: 'secret-of-oceania', currencies: ['AUD', 'NZD'] }

/**
 * Starts the whole network with real HTTP and a real database, on a virtual clock. It begins `pastMs` milliseconds ago, because the tests'
 * client tokens are issued by the real clock.
 */
export async function startVirtualNetwork(pastMs: number, env: Record<string, string> = {}) {
  const proxy = await startUpstreamProxy()
  const start = new Date(Date.now() - pastMs)
  const quiet = watchQuiet(proxy)
  const time = virtualTime({ start, isQuiet: quiet.isQuiet })
  const network = await startNetwork({
    clock: time.clock,
    timer: time.timer,
    upstreamUrl: proxy.url,
    env,
    sandbox: { sites: [SITE], startAt: start },
  })
  proxy.target = network.sandbox.origin
  onTestFinished(async () => {
    await network.close()
    await proxy.close()
    quiet.close()
  })
  return { network, proxy, time }
}
