import { randomUUID } from 'node:crypto'
import { request, type ClientRequest, type IncomingMessage } from 'node:http'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import {
  addressOf,
  defaultAddress,
  deliver,
  deliveries,
  honestHeaders,
  paymentBody,
  send,
} from '../support/webhooks.ts'

describe('the metrics', () => {
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
