import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startNetwork, type Network } from '../support/network.ts'
import { CREATE_LINK, linkInput, LINK_UPDATES, tryCreateLink } from '../support/operations.ts'
import { isCaughtUp } from '../support/streams.ts'
import { TRANSPORTS } from '../support/transports.ts'
import { startUpstreamProxy, type UpstreamProxy } from '../support/upstream-proxy.ts'

const TIMEOUT_MS = 400

let proxy: UpstreamProxy
let network: Network
let token: string
beforeAll(async () => {
  proxy = await startUpstreamProxy()
  network = await startNetwork({ upstreamUrl: proxy.url, env: { GRAPHQL_LIMITS: `timeoutMs=${TIMEOUT_MS}` } })
  proxy.target = new URL(network.sandbox.url).origin
  token = await network.token()
  // The methods are requested once from the payments API, which must not be part of the measurement. The first link may itself take longer.
  await vi.waitFor(() => tryCreateLink(network), 30_000)
})
afterAll(async () => {
  await network.close()
  await proxy.close()
})

describe.each(TRANSPORTS)('over $name', ({ run }) => {
  it('a mutation that takes too long is answered with an error, and goes on: its key gives the link', async () => {
    const input = linkInput()
    const held = proxy.holdNextPost('/payin_links')
    const begun = Date.now()
    const { data, errors } = await run(network, { query: CREATE_LINK, variables: { input } }, token)
    expect(data ?? null).toBeNull()
    expect(errors).toEqual([
      {
        message: 'The operation timed out. A mutation that has begun continues: retry with the same key.',
        extensions: { code: 'OPERATION_TIMEOUT' },
      },
    ])
    expect(Date.now() - begun).toBeGreaterThanOrEqual(TIMEOUT_MS - 5)

    await held.answered
    held.release()
    const calls = network.sandbox.control.state().counters.links
    await expect.poll(async () => (await tryCreateLink(network, input)).__typename).toBe('CreatePaymentLinkSuccess')
    expect(await tryCreateLink(network, input)).toMatchObject({ replayed: true })
    expect(network.sandbox.control.state().counters.links).toBe(calls)
  })

  it('a query that takes too long is answered with an error', async () => {
    network.sandbox.control.addFault({ method: 'GET', path: '/v2/balances/*', answer: { delayMs: 1_000 } })
    const { errors } = await run(
      network,
      { query: '{ accountBalances(currencies: ["AUD"]) { nodes { currency } } }' },
      token,
    )
    expect(errors).toMatchObject([{ extensions: { code: 'OPERATION_TIMEOUT' } }])
    network.sandbox.control.clearFaults()
  })
})

it('a stream outlives it', async () => {
  const { link } = await tryCreateLink(network)
  const stream = await network.follow(LINK_UPDATES, { id: link?.id })
  await stream.until(isCaughtUp)
  const begun = Date.now()
  await expect.poll(() => Date.now() - begun, { interval: 50 }).toBeGreaterThan(2 * TIMEOUT_MS)
  await network.sandbox.control.setStatus(link?.id ?? '', 'pending')
  expect(await stream.next()).toMatchObject({ kind: 'EVENT' })
  await stream.end()
})

it('over HTTP the error comes with 504', async () => {
  const held = proxy.holdNextPost('/payin_links')
  const answer = await network.ask(CREATE_LINK, { input: linkInput() })
  expect(answer.status).toBe(504)
  held.release()
})
