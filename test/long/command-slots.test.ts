import { afterAll, beforeAll, expect, it } from 'vitest'
import { startNetwork, type Network } from '../support/network.ts'
import { linkInput, tryCreateLink } from '../support/operations.ts'
import { startUpstreamProxy, type UpstreamProxy } from '../support/upstream-proxy.ts'

const LINKS = '/v3/payin_links'
/** Requests to the payments API that a site may have at once. */
const SLOTS = 20

let proxy: UpstreamProxy
let network: Network
beforeAll(async () => {
  proxy = await startUpstreamProxy()
  network = await startNetwork({ upstreamUrl: proxy.url })
  proxy.target = network.sandbox.origin
})
afterAll(async () => {
  await network.close()
  await proxy.close()
})

const creations = () => proxy.calls.filter((call) => call === `POST /api${LINKS}`).length

// promise(commands): A command that cannot be sent within 4 seconds is refused with certainty, and its key stays
// usable.
it('a command that gets no slot is refused while its caller waits, and its key runs it later', async () => {
  const held = Array.from({ length: SLOTS }, () => proxy.holdNextPost(LINKS))
  const running = held.map(() => tryCreateLink(network))
  await Promise.all(held.map(({ answered }) => answered))

  const input = linkInput()
  expect(await tryCreateLink(network, input)).toMatchObject({
    __typename: 'UpstreamUnavailableError',
    retryable: true,
  })
  expect(creations()).toBe(SLOTS)

  for (const { release } of held) release()
  // Their callers may have waited no longer, on a busy machine.
  for (const { __typename } of await Promise.all(running))
    expect(['CreatePaymentLinkSuccess', 'OutcomeUnknownError']).toContain(__typename)
  expect(await tryCreateLink(network, input)).toMatchObject({ __typename: 'CreatePaymentLinkSuccess', replayed: false })
  expect(creations()).toBe(SLOTS + 1)
})
