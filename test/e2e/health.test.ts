import { randomUUID } from 'node:crypto'
import { request, type ClientRequest, type IncomingMessage } from 'node:http'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startNetwork, type Network } from '../support/network.ts'
import { CREATE_LINK, createLink, LINK_UPDATES, linkInput, tryCreateLink } from '../support/operations.ts'
import { greetedSocket, openSocket } from '../support/socket.ts'
import { isCaughtUp } from '../support/streams.ts'
import {
  addressOf,
  defaultAddress,
  deliver,
  deliveries,
  honestHeaders,
  paymentBody,
  send,
} from '../support/webhooks.ts'

describe('the probes', () => {
  let network: Network
  beforeAll(async () => void (network = await startNetwork()))
  afterAll(() => network.close())

  it('/metrics counts webhooks by their answer and by what became of them', async () => {
    const body = paymentBody()
    await deliver(defaultAddress(network), body)
    await deliver(defaultAddress(network), 'no JSON')
    await send(defaultAddress(network), { headers: honestHeaders(body, undefined, 'another-secret-altogether'), body })
    const response = await fetch(`${network.app.url}/metrics`)
    expect(response.headers.get('content-type')).toMatch(/^text\/plain/)
    const text = await response.text()
    expect(text).toMatch(
      /^payments_webhooks_total\{kind="payments",status="200",disposition="APPLIED",reason="none"\} 1$/m,
    )
    expect(text).toMatch(
      /^payments_webhooks_total\{kind="payments",status="400",disposition="QUARANTINED",reason="unusable"\} 1$/m,
    )
    expect(text).toMatch(
      /^payments_webhooks_total\{kind="payments",status="401",disposition="none",reason="signature_mismatch"\} 1$/m,
    )
    expect(text).toMatch(/^payments_sockets_open 0$/m)
    expect(text).toMatch(/^payments_reads_waiting 0$/m)
    expect(text).toMatch(/^payments_unconfirmed_oldest_seconds 0$/m)
    expect(text).toMatch(/^payments_sweeps_total 0$/m)
    expect(text).toMatch(/^nodejs_eventloop_lag_seconds /m)
  })
})

describe('closing', () => {
  let network: Network
  afterEach(() => network.close())

  it('answers the webhook that is in flight, and keeps it', async () => {
    network = await startNetwork()
    const address = await addressOf(network, await createLink(network))
    const uuid = randomUUID()
    const body = paymentBody({ uuid })
    const headers = { ...honestHeaders(body, address.authorization), 'content-length': Buffer.byteLength(body) }
    const sending = request(address.url, { method: 'POST', headers: { ...headers, expect: '100-continue' } })
    sending.flushHeaders()
    // With `100-continue` the server has accepted the request.
    await new Promise((resolve) => sending.once('continue', resolve))
    const stopped = network.stop()
    const response = await answerTo(sending, body)
    expect(response.statusCode).toBe(200)
    await stopped
    await network.restart()
    expect(await deliveries(network, [uuid])).toMatchObject([{ disposition: 'APPLIED' }])
  })

  it.each(['waits for it', 'has hung up', 'asks over a socket'])(
    'finishes the mutation that is in flight, and keeps it: the client %s',
    async (client) => {
      network = await startNetwork()
      const input = linkInput()
      const { control } = network.sandbox
      await tryCreateLink(network)
      control.addFault({ method: 'POST', path: '/v3/payin_links', answer: { delayMs: 400 } })
      const calls = control.calls().length
      const answer = await askAndLeave(client, input)
      await expect.poll(() => control.calls().length).toBe(calls + 1)
      answer.leave()
      await network.stop()
      await network.restart()
      expect(await tryCreateLink(network, input)).toMatchObject({ replayed: true, link: { state: 'OPEN' } })
      expect(control.state().counters.links).toBe(2)
    },
  )

  /** Requests a link in one of three ways, without waiting for the answer. */
  async function askAndLeave(client: string, input: Record<string, unknown>): Promise<{ leave(): void }> {
    if (client === 'asks over a socket') {
      const socket = await greetedSocket(network.app.url, { token: await network.token() })
      socket.send({ id: '1', type: 'subscribe', payload: { query: CREATE_LINK, variables: { input } } })
      return { leave: () => undefined }
    }
    const leaving = new AbortController()
    fetch(`${network.app.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${await network.token()}` },
      body: JSON.stringify({ query: CREATE_LINK, variables: { input } }),
      signal: leaving.signal,
    }).catch(() => undefined)
    return { leave: () => client === 'has hung up' && leaving.abort() }
  }

  it('tells the sockets to come back, and takes no new ones', async () => {
    network = await startNetwork()
    const link = await createLink(network)
    const stream = await network.follow(LINK_UPDATES, { id: link.id })
    await stream.until(isCaughtUp)
    const bare = await openSocket(network.app.url)
    await network.stop()
    expect(await stream.closed).toMatchObject({ code: 1012 })
    expect(await bare.closed).toMatchObject({ code: 1012 })
    await expect(openSocket(network.app.url)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })

  it('twice is the same as once', async () => {
    network = await startNetwork()
    await expect(Promise.all([network.app.close(), network.app.close()])).resolves.toEqual([undefined, undefined])
    await expect(network.app.close()).resolves.toBeUndefined()
  })
})

function answerTo(sending: ClientRequest, body: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sending.once('response', (response) => {
      response.resume()
      resolve(response)
    })
    sending.once('error', reject)
    sending.end(body)
  })
}
