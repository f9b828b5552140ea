import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CANARY, type CanaryService, startCanaryService } from '../support/canary-service.ts'
import { scrape, sumOf } from '../support/metrics.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink, linkInput, tryCreateLink } from '../support/operations.ts'
import { historyOf, REFRESH } from '../support/payments.ts'

let network: Network
let service: CanaryService
beforeAll(async () => {
  service = await startCanaryService()
  network = await startNetwork({ upstreamUrl: service.url, breaker: {} })
  service.target = network.sandbox.origin
})
afterAll(async () => {
  await network.close()
  await service.close()
})

const METHODS = '{ payinMethods { nodes { code } stale unavailable } }'

type Line = { readonly level: string; readonly msg: string; readonly [field: string]: unknown }

const lines = () =>
  network
    .log()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line)

const figure = async (name: string, labels: Readonly<Record<string, string>>) =>
  sumOf(await scrape(network.app.url), name, labels)

describe('a service that answers about something else', () => {
  const reads = [
    ['another link', () => ({ uuid: 'OTHER', payment_url: 'https://pay.test/x', status: 'received', amount: '125.5' })],
    ['a payment that is nobody’s', () => ({ uuid: 'OTHER', status: 'received', currency: 'AUD', amount: '999.99' })],
    ['another currency', (uuid: string) => ({ uuid, status: 'received', currency: 'JPY', amount: '125.5' })],
    [
      'a payment of another amount',
      (uuid: string) => ({ uuid, status: 'received', currency: 'AUD', amount: '999.99' }),
    ],
  ] as const

  it.each(reads)('in a read: %s changes nothing, and is told with ids alone', async (_what, body) => {
    const link = await createLink(network)
    await network.sandbox.control.setStatus(link.id, 'authorised')
    await network.app.settle()
    const before = await historyOf(network, link.id)
    service.answer = { status: 200, body: JSON.stringify({ ...body(before.payment?.id ?? ''), name: CANARY }) }
    const { data } = await network.ask<{ refreshPayment: { changed?: boolean } }>(REFRESH, { id: link.id })
    service.answer = null
    expect(data.refreshPayment.changed ?? false).toBe(false)
    expect(await historyOf(network, link.id)).toEqual(before)
    expect(network.log()).not.toContain(CANARY)
  })

  it('in a read of a link that nobody used: a payment of another amount is not its own', async () => {
    const link = await createLink(network)
    service.answer = { status: 200, body: JSON.stringify({ uuid: 'STRANGER', status: 'received', amount: '999.99' }) }
    const { data } = await network.ask<{ refreshPayment: { changed?: boolean } }>(REFRESH, { id: link.id })
    service.answer = null
    expect(data.refreshPayment.changed ?? false).toBe(false)
    expect(await historyOf(network, link.id)).toEqual({ state: 'OPEN', payment: null, events: [] })
  })

  it('in the answer to a creation: refused, and told as an alert', async () => {
    const before = await figure('payments_upstream_mismatches_total', { site: 'aud' })
    service.answer = {
      status: 200,
      body: JSON.stringify({ uuid: 'LIE', payment_url: 'https://pay.test/x', amount: '1.00', description: CANARY }),
    }
    const input = linkInput()
    const results = [await tryCreateLink(network, input), await tryCreateLink(network, input)]
    service.answer = null
    expect(results.map(({ __typename }) => __typename)).toEqual([
      'PaymentsOutcomeUnknownError',
      'PaymentsOutcomeUnknownError',
    ])
    expect(lines().filter(({ msg }) => msg.startsWith('ALERT'))).toContainEqual({
      level: 'error',
      time: expect.any(String),
      site: 'aud',
      operation: 'createPayinLink',
      ref: input.reference,
      msg: 'ALERT: the payments API answered about another subject than the requested one',
    })
    expect(await figure('payments_upstream_mismatches_total', { site: 'aud' })).toBe(before + 1)
    expect((await network.ask('query Q($id: ID!) { paymentLink(id: $id) { id } }', { id: 'LIE' })).data).toEqual({
      paymentLink: null,
    })
    expect(network.log()).not.toContain(CANARY)
  })
})

/** Returns the number of requests that the breaker rejected. */
const turnedAwaySoFar = () =>
  figure('payments_upstream_requests_total', { site: 'aud', outcome: 'not-sent.breaker-open' })

/** Returns the list of methods. Their order depends on which of their lists could be had first. */
async function methods() {
  const { data } = await network.ask<{ payinMethods: { nodes: { code: string }[] } }>(METHODS)
  const { nodes, ...rest } = data.payinMethods
  return { codes: new Set(nodes.map(({ code }) => code)), ...rest }
}

describe('a service in trouble', () => {
  it('is left alone: commands are certain that nothing was done, lists go on, and figures and a log line tell', async () => {
    const known = await methods()
    const link = await createLink(network)
    expect(await figure('payments_upstream_breaker_open', { site: 'aud' })).toBe(0)
    service.answer = { status: 503, body: '' }
    const open = () => figure('payments_upstream_breaker_open', { site: 'aud' })
    for (let call = 0; call < 200 && (await open()) === 0; call += 1) await network.ask(REFRESH, { id: link.id })
    expect(await open()).toBe(1)

    // A retry of the request that opened the breaker can have been rejected as well.
    const turnedAwayBefore = await turnedAwaySoFar()
    const sent = service.answered.length
    const input = linkInput()
    const turnedAway = await tryCreateLink(network, input)
    expect(turnedAway).toMatchObject({ __typename: 'PaymentsUpstreamUnavailableError', retryable: true })
    expect(turnedAway['retryAfterSeconds']).toBeGreaterThanOrEqual(1)
    expect((await network.ask(REFRESH, { id: link.id })).data['refreshPayment']).toMatchObject({
      __typename: 'PaymentsUpstreamUnavailableError',
    })
    expect(await methods()).toEqual(known)
    expect(service.answered.length - sent).toBe(0)
    expect(
      await figure('payments_upstream_requests_total', { site: 'aud', outcome: 'unknown.server-error' }),
    ).toBeGreaterThan(0)
    expect((await turnedAwaySoFar()) - turnedAwayBefore).toBeGreaterThanOrEqual(2)
    expect(lines()).toContainEqual(expect.objectContaining({ level: 'error', site: 'aud', phase: 'open' }))

    // The key is unused, and the first request after the pause is the breaker's probe.
    service.answer = null
    await expect
      .poll(async () => (await tryCreateLink(network, input)).__typename, { interval: 500 })
      .toBe('CreatePaymentLinkSuccess')
    expect(await open()).toBe(0)
  })
})
