import { randomUUID } from 'node:crypto'
import type { FaultAnswer } from 'payments-subgraph-sandbox'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink, linkInput, tryCreateLink } from '../support/operations.ts'
import { historyOf, REFRESH, told } from '../support/payments.ts'
import { addressFor, deliver, deliveries, paymentBody } from '../support/webhooks.ts'

let network: Network
let now = Date.now()
beforeAll(async () => void (network = await startNetwork({ clock: () => new Date(now) })))
afterEach(() => network.sandbox.control.clearFaults())
afterAll(() => network.close())

const CREATE = { method: 'POST', path: '/v3/payin_links' }
const REPEATED_AFTER_MS = 30_001

/** Returns the number of requests to the payments API that create a link. */
function creations(on = network): number {
  return on.sandbox.control.calls().filter(({ method, path }) => method === 'POST' && path.endsWith('/payin_links'))
    .length
}

/** Sends the same input `count` times while the payments API answers with a fault. Returns each result with the number of its calls. */
async function attempts(input: Record<string, unknown>, answer: FaultAnswer, count = 2) {
  network.sandbox.control.addFault({ ...CREATE, answer })
  const results: { result: Awaited<ReturnType<typeof tryCreateLink>>; asked: number }[] = []
  for (let index = 0; index < count; index++) {
    const before = creations()
    results.push({ result: await tryCreateLink(network, input), asked: creations() - before })
  }
  return results
}

describe('a link that the payments API refuses', () => {
  it.each([400, 404, 422])('with %i is refused for good, in its own words', async (status) => {
    const body = { errors: { amount: 'is not to my liking' } }
    const [first, second] = await attempts(linkInput(), { status, body })
    expect(first).toMatchObject({
      asked: 1,
      result: {
        __typename: 'PaymentsUpstreamRejectedError',
        httpStatus: status,
        retryable: false,
        problems: [{ path: ['amount'], message: 'is not to my liking' }],
      },
    })
    expect(second).toMatchObject({ asked: 0, result: first?.result })
  })

  it.each([
    [401, { __typename: 'PaymentsCredentialsRejectedError', site: 'aud', retryable: false }],
    [
      403,
      { __typename: 'PaymentsUpstreamRejectedError', httpStatus: 403, upstreamCode: 'REQUIRE_LOGIN', retryable: false },
    ],
  ])('with %i can be asked for again', async (status, result) => {
    const body = { errors: { code: 'REQUIRE_LOGIN', message: 'Not Authorised' } }
    const [first, second] = await attempts(linkInput(), { status, body })
    expect(first).toMatchObject({ asked: 1, result })
    expect(second).toMatchObject({ asked: 1, result: { __typename: 'CreatePaymentLinkSuccess', replayed: false } })
  })

  it('with 429 can be asked for again, after the time that it names', async () => {
    const [first, second] = await attempts(linkInput(), { status: 429, headers: { 'retry-after': '7' } })
    expect(first).toMatchObject({
      asked: 1,
      result: { __typename: 'PaymentsUpstreamUnavailableError', retryAfterSeconds: 7, retryable: true },
    })
    expect(second).toMatchObject({ asked: 1, result: { __typename: 'CreatePaymentLinkSuccess' } })
  })
})

describe('a link whose creation was not answered', () => {
  it.each<[string, FaultAnswer]>([
    ['a reset', 'reset'],
    ['503', { status: 503, body: {} }],
    ['502 with a page', { status: 502, body: '<html>canary of a proxy</html>' }],
    ['an empty 200', { status: 200 }],
    ['200 without a link', { status: 200, body: { uuid: 'a' } }],
    ['200 that is no JSON', { status: 200, body: '<html>canary of a proxy</html>' }],
    ['200 with a link that leads elsewhere', { status: 200, body: { uuid: 'a', payment_url: 'javascript:alert(1)' } }],
    ['a redirect', { status: 307, headers: { location: 'http://127.0.0.1:9/' } }],
  ])('but met %s has an unknown outcome, and is not made a second time', async (_what, answer) => {
    const results = await attempts(linkInput(), answer, 3)
    expect(results.map(({ asked }) => asked)).toEqual([1, 0, 0])
    const operationId = results[0]?.result['operationId']
    expect(operationId).toEqual(expect.any(String))
    for (const { result } of results)
      expect(result).toMatchObject({ __typename: 'PaymentsOutcomeUnknownError', operationId, retryable: true })
    expect(JSON.stringify(results) + network.log()).not.toContain('canary of a proxy')
  })

  it('is made again for the same key when there is no trace of it after 30 seconds', async () => {
    const input = linkInput()
    await attempts(input, 'reset')
    now += REPEATED_AFTER_MS
    const before = creations()
    const made = await tryCreateLink(network, input)
    expect(made).toMatchObject({ __typename: 'CreatePaymentLinkSuccess' })
    const again = await tryCreateLink(network, input)
    expect(again).toMatchObject({ replayed: true, link: { id: made.link?.id } })
    expect(creations() - before).toBe(1)
  })

  it('although it was made still takes its webhooks, and they are kept', async () => {
    const { sandbox } = network
    const known = new Set(sandbox.control.state().links.map(({ uuid }) => uuid))
    const [first] = await attempts(linkInput(), 'drop-after', 1)
    expect(first?.result).toMatchObject({ __typename: 'PaymentsOutcomeUnknownError' })
    const orphan = sandbox.control.state().links.find(({ uuid }) => !known.has(uuid))
    await sandbox.control.setStatus(orphan?.uuid ?? '', 'pending')
    const sent = sandbox.control.webhooks().filter(({ subject }) => subject === orphan?.uuid)
    expect(sent).toMatchObject([{ outcome: 'delivered', attempts: [{ status: 200 }] }])
    const paymentUuid = sandbox.control.state().links.find(({ uuid }) => uuid === orphan?.uuid)?.paymentUuid ?? ''
    expect(await deliveries(network, [paymentUuid])).toMatchObject([{ disposition: 'APPLIED', statusRaw: 'pending' }])

    const late = paymentBody({ uuid: paymentUuid, status: 'received' })
    expect((await deliver(addressFor(sent[0]?.url ?? ''), late)).status).toBe(200)
    expect((await deliveries(network, [paymentUuid]))[0]).toMatchObject({ event: { toStatus: 'received' } })
  })

  it('although it was made is found by its address, where the payments API tells where the customer pays', async () => {
    const own = await startNetwork({ sandbox: { webhookForm: 'nested' } })
    try {
      const input = linkInput()
      own.sandbox.control.addFault({ ...CREATE, answer: 'drop-after' })
      expect(await tryCreateLink(own, input)).toMatchObject({ __typename: 'PaymentsOutcomeUnknownError' })
      const [orphan] = own.sandbox.control.state().links
      await own.sandbox.control.setStatus(orphan?.uuid ?? '', 'pending')
      const found = await tryCreateLink(own, input)
      expect(found).toMatchObject({ replayed: true, link: { id: orphan?.uuid, checkoutUrl: orphan?.paymentUrl } })
      expect(creations(own)).toBe(1)
      const { payment, events } = await historyOf(own, orphan?.uuid ?? '')
      const [paid] = own.sandbox.control.state().links
      expect(payment).toMatchObject({ id: paid?.paymentUuid, status: 'PENDING' })
      expect(events.map(({ kind }) => kind)).toContain('LINK_CREATED')
    } finally {
      await own.close()
    }
  })
})

describe('a service that is not there', () => {
  it('makes no link, says so, and leaves the key free', async () => {
    const upstreamUrl = `http://127.0.0.1:${await freePort()}/api`
    const own = await startNetwork({ upstreamUrl })
    try {
      const input = linkInput()
      for (let index = 0; index < 2; index++)
        expect(await tryCreateLink(own, input)).toMatchObject({
          __typename: 'PaymentsUpstreamUnavailableError',
          retryable: true,
        })
      const { data } = await own.ask<{ payinMethods: { nodes: unknown[]; unavailable: string[] } }>(
        '{ payinMethods(currencies: ["AUD", "JPY"]) { nodes { code } unavailable stale } }',
      )
      expect(data.payinMethods).toEqual({ nodes: [], unavailable: ['AUD', 'JPY'], stale: false })
    } finally {
      await own.close()
    }
  })
})

describe('refreshPayment', () => {
  const refresh = async (id: string) => (await network.ask(REFRESH, { id })).data['refreshPayment']

  it('asks nobody about an id that is not on record, without the scope for what was made elsewhere', async () => {
    const token = await network.token({ scopes: ['payments:read'] })
    await network.app.settle()
    const before = network.sandbox.control.calls().length
    const { data } = await network.ask(REFRESH, { id: randomUUID() }, { token })
    expect(data['refreshPayment']).toMatchObject({ __typename: 'PaymentsNotFoundError', code: 'NOT_FOUND' })
    expect(network.sandbox.control.calls()).toHaveLength(before)
  })

  it('tells whether the read changed something, by the link or by the payment', async () => {
    const link = await createLink(network)
    expect(await refresh(link.id)).toMatchObject({ changed: false, payment: null, link: { state: 'OPEN' } })
    await network.sandbox.control.setStatus(link.id, 'authorised', { silent: true })
    const read = await refresh(link.id)
    expect(read).toMatchObject({ changed: true, payment: { status: 'AUTHORISED' }, link: { id: link.id } })
    const { payment } = await historyOf(network, link.id)
    expect(await refresh(payment?.id ?? '')).toMatchObject({ changed: false, payment: { version: 2 } })
    await network.sandbox.control.setStatus(link.id, 'received', { silent: true })
    expect(await refresh(payment?.id ?? '')).toMatchObject({
      changed: true,
      payment: { status: 'RECEIVED', version: 3 },
    })
    expect((await historyOf(network, link.id)).events.map(told)).toEqual(['authorised by READ', 'received by READ'])
  })

  it.each<[FaultAnswer, number, Record<string, unknown>]>([
    [{ status: 404, body: { errors: { message: 'none' } } }, 1, { __typename: 'PaymentsNotFoundError' }],
    [
      { status: 422, body: { errors: { uuid: 'is odd' } } },
      1,
      { __typename: 'PaymentsUpstreamRejectedError', httpStatus: 422 },
    ],
    [{ status: 401 }, 1, { __typename: 'PaymentsCredentialsRejectedError', site: 'aud' }],
    [{ status: 503 }, 3, { __typename: 'PaymentsUpstreamUnavailableError', retryable: true }],
    ['reset', 3, { __typename: 'PaymentsUpstreamUnavailableError' }],
  ])('met by %j tells what it means, and changes nothing', async (answer, times, wanted) => {
    const link = await createLink(network)
    await network.sandbox.control.setStatus(link.id, 'received', { silent: true })
    network.sandbox.control.addFault({ method: 'GET', path: '/v3/payin_links/*', answer, times })
    expect(await refresh(link.id)).toMatchObject(wanted)
    expect(await historyOf(network, link.id)).toMatchObject({ payment: null, events: [] })
    expect(await refresh(link.id)).toMatchObject({ changed: true, payment: { status: 'RECEIVED' } })
  })

  it('met by 429 tells how long the payments API wants to be left alone, and asks again when a person does', async () => {
    const throttled = await startNetwork()
    onTestFinished(() => throttled.close())
    const link = await createLink(throttled)
    const answer = { status: 429, headers: { 'retry-after': '60' } }
    throttled.sandbox.control.addFault({ method: 'GET', path: '/v3/payin_links/*', answer })
    const refreshed = async () => (await throttled.ask(REFRESH, { id: link.id })).data['refreshPayment']
    expect(await refreshed()).toMatchObject({ __typename: 'PaymentsUpstreamUnavailableError', retryAfterSeconds: 60 })
    expect(await refreshed()).toMatchObject({ __typename: 'RefreshPaymentSuccess' })
  })
})
