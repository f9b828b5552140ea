import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { COMMANDS, resultId } from '../support/commands.ts'
import { asked, mutate } from '../support/mutations.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { BY_HAND } from '../support/payins.ts'
import { V1_SITES } from '../support/payouts.ts'
import { startUpstreamProxy, type UpstreamProxy } from '../support/upstream-proxy.ts'

let network: Network
let proxy: UpstreamProxy
beforeAll(async () => {
  proxy = await startUpstreamProxy()
  network = await startNetwork({ upstreamUrl: proxy.url, sandbox: BY_HAND, env: V1_SITES })
  proxy.target = network.sandbox.origin
})
afterAll(async () => {
  await network.close()
  await proxy.close()
})

// promise(commands): A client that disconnects cancels nothing.
describe.each(COMMANDS)('a client that hangs up on $name', ({ name, path, prepare }) => {
  it('cancels nothing: its key has the result that it did not wait for', async () => {
    const { input } = await prepare(network)
    const before = asked(network, 'POST', path)
    const held = proxy.holdNextPost(path)
    const hangUp = new AbortController()
    const broken = mutate(network, name, input, { signal: hangUp.signal }).catch((error: unknown) => error)
    await held.answered
    hangUp.abort()
    expect(await broken).toMatchObject({ name: 'AbortError' })
    const again = mutate(network, name, input)
    held.release()
    expect(await again).toMatchObject({ replayed: true })
    expect(resultId(await again)).toEqual(expect.any(String))
    expect(asked(network, 'POST', path) - before).toBe(1)
  })
})
