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
  const inputs = held.map(() => linkInput())
  const running = inputs.map((own) => tryCreateLink(network, own))
  await Promise.all(held.map(({ answered }) => answered))

  const input = linkInput()
  expect(await tryCreateLink(network, input)).toMatchObject({
    __typename: 'PaymentsUpstreamUnavailableError',
    retryable: true,
  })
  expect(creations()).toBe(SLOTS)

  for (const { release } of held) release()
  await Promise.all(running)
  // Whoever waited no longer, on a busy machine, has the outcome by the same key.
  for (const own of inputs)
    expect(await tryCreateLink(network, own)).toMatchObject({ __typename: 'CreatePaymentLinkSuccess', replayed: true })
  expect(creations()).toBe(SLOTS)
  expect(await tryCreateLink(network, input)).toMatchObject({ __typename: 'CreatePaymentLinkSuccess', replayed: false })
  expect(creations()).toBe(SLOTS + 1)
})
