import { randomBytes } from 'node:crypto'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { pay } from '../support/checkout.ts'
import { openEvents } from '../support/events.ts'
import { SECRETS, startNetwork, type Network } from '../support/network.ts'
import { CREATE_LINK, createLink, linkInput, LINK_UPDATES } from '../support/operations.ts'
import { isCaughtUp, isReceived } from '../support/streams.ts'
import { startTraceCollector, type CollectedSpan, type TraceCollector } from '../support/trace-collector.ts'

const EMAIL = 'canary-payer@example.test'
const TRACE_ID = randomBytes(16).toString('hex')
const SPAN_ID = randomBytes(8).toString('hex')
const PARENT = `00-${TRACE_ID}-${SPAN_ID}-01`

const SERVER = 2
const CLIENT = 3

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

async function started(
  env: Record<string, string> = {},
  collector?: TraceCollector,
): Promise<[Network, TraceCollector]> {
  const collecting = collector ?? (await startTraceCollector())
  closing.push(() => collecting.close())
  const network = await startNetwork({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: collecting.url, ...env } })
  closing.push(() => network.close())
  return [network, collecting]
}

/** Starts a proxy of the payments API that records the headers of requests. */
async function startRecorder(target: () => string) {
  const headers: Record<string, unknown>[] = []
  const server = createServer((incoming, outgoing) => {
    headers.push(incoming.headers)
    const to = new URL(target())
    const passed = request(
      { port: to.port, host: to.hostname, method: incoming.method, path: incoming.url, headers: incoming.headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(outgoing)
      },
    )
    incoming.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`, headers }
}

const named = (spans: readonly CollectedSpan[], name: string) => {
  const span = spans.find((candidate) => candidate.name === name)
  if (span === undefined)
    throw new Error(`There is no span ${name} among ${spans.map((each) => each.name).join(', ')}.`)
  return span
}

describe('a trace', () => {
  it('leads from the client through the answer and the operation to the payments API', async () => {
    let target = ''
    const recorder = await startRecorder(() => target)
    const collector = await startTraceCollector()
    closing.push(() => collector.close())
    const network = await startNetwork({
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/` },
      upstreamUrl: recorder.url,
    })
    closing.push(() => network.close())
    target = network.sandbox.url
    const headers = { traceparent: PARENT, tracestate: 'router=1' }
    const answer = await network.ask(CREATE_LINK, { input: linkInput() }, { headers })
    expect(answer.errors).toBeUndefined()
    await network.stop()

    const spans = collector.spans()
    const http = named(spans, 'POST /graphql')
    expect(http).toMatchObject({ traceId: TRACE_ID, parentSpanId: SPAN_ID, kind: SERVER, failed: false })
    expect(http.attributes).toMatchObject({
      'service.name': 'payments-subgraph',
      'http.route': '/graphql',
      'http.response.status_code': 200,
    })
    const operation = named(spans, 'mutation CreateLink')
    expect(operation).toMatchObject({ traceId: TRACE_ID, parentSpanId: http.spanId })
    const call = named(spans, 'service createPayinLink')
    expect(call).toMatchObject({ traceId: TRACE_ID, parentSpanId: operation.spanId, kind: CLIENT, failed: false })
    expect(recorder.headers.map(({ traceparent }) => traceparent)).toContain(`00-${TRACE_ID}-${call.spanId}-01`)
    expect(recorder.headers.map(({ tracestate }) => tracestate)).toContain('router=1')
    expect(collector.paths).toContain('POST /v1/traces')
  })

  it('of a webhook is one of its own, whatever its sender says', async () => {
    const [network, collector] = await started()
    const link = await createLink(network)
    await pay(link.checkoutUrl)
    await network.sandbox.settle()
    const refused = await fetch(`${network.app.url}/webhooks/payments/no-such-ref`, {
      method: 'POST',
      headers: { traceparent: PARENT },
    })
    expect(refused.status).toBe(404)
    await network.stop()
    const spans = collector.spans().filter(({ name }) => name === 'POST /webhooks/payments/:ref')
    expect(spans.length).toBeGreaterThanOrEqual(5)
    for (const span of spans) expect([span.parentSpanId, span.traceId === TRACE_ID]).toEqual([undefined, false])
    expect(new Set(spans.map(({ attributes }) => attributes['http.response.status_code']))).toEqual(new Set([200, 404]))
  })

  it('of a webhook links to the command whose URL it has, and that of the first frame to the webhook', async () => {
    const [network, collector] = await started()
    const link = await createLink(network)
    // As another node, which has not sent the command.
    await network.restart()
    const stream = await network.follow(LINK_UPDATES, { id: link.id })
    await stream.until(isCaughtUp)
    await pay(link.checkoutUrl)
    await stream.until(isReceived)
    await stream.end()
    await network.sandbox.settle()
    await network.stop()
    const spans = collector.spans()
    const command = named(spans, 'mutation CreateLink')
    const webhooks = spans.filter(({ name }) => name === 'POST /webhooks/payments/:ref')
    expect(webhooks.length).toBeGreaterThan(0)
    for (const { traceId, links } of webhooks) {
      expect(links).toEqual([command.spanId])
      expect(spans.filter((span) => span.traceId === traceId).map(({ name }) => name)).toContain('commit')
    }
    const frames = spans.filter(({ name }) => name === 'event delivered')
    expect(frames.length).toBeGreaterThan(0)
    const commits = new Set(spans.filter(({ name }) => name === 'commit').map(({ spanId }) => spanId))
    for (const frame of frames) expect(frame.links.every((id) => commits.has(id))).toBe(true)
    const lines = network
      .log()
      .split('\n')
      .filter((line) => line.includes('webhook stored'))
    const traces = new Set(webhooks.map(({ traceId }) => traceId))
    expect(lines.every((line) => traces.has((JSON.parse(line) as { traceId: string }).traceId))).toBe(true)
  })

  it('is named, described, sampled and sent as the variables of OpenTelemetry say', async () => {
    const [network, collector] = await started({
      OTEL_SERVICE_NAME: 'checkout',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=stage,team=a%20b',
      OTEL_EXPORTER_OTLP_HEADERS: 'x-api-key=secret%20key',
    })
    await network.ask('query One { paymentCurrencies { code } }')
    await network.stop()
    expect(named(collector.spans(), 'query One').attributes).toMatchObject({
      'service.name': 'checkout',
      'deployment.environment': 'stage',
      team: 'a b',
    })
    expect(collector.headers[0]).toMatchObject({ 'x-api-key': 'secret key' })

    const [quiet, empty] = await started({
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0',
    })
    await quiet.ask('query Unsampled { paymentCurrencies { code } }')
    await quiet.ask('query Sampled { paymentCurrencies { code } }', {}, { headers: { traceparent: PARENT } })
    await quiet.stop()
    const names = new Set(empty.spans().map(({ name }) => name))
    expect([names.has('query Sampled'), names.has('query Unsampled')]).toEqual([true, false])
  })

  it('names an operation whose answer is recalled as one that is executed', async () => {
    const [network, collector] = await started()
    for (let time = 0; time < 3; time += 1) await network.ask('query Currencies { paymentCurrencies { code } }')
    await network.stop()
    expect(collector.spans().filter(({ name }) => name === 'query Currencies')).toHaveLength(3)
  })

  it('tells of what fails by its codes', async () => {
    const [network, collector] = await started({ UPSTREAM_URL: 'http://127.0.0.1:9/api' })
    const query = 'query Gone { payouts(from: "2026-01-01", to: "2026-01-02", currency: "AUD") { totalCount } }'
    expect((await network.ask(query)).errors).toMatchObject([{ extensions: { code: 'UPSTREAM_UNAVAILABLE' } }])
    await network.stop()
    const spans = collector.spans()
    expect(named(spans, 'query Gone').attributes['graphql.error.codes']).toEqual(['UPSTREAM_UNAVAILABLE'])
    expect(spans.find(({ kind }) => kind === CLIENT)).toMatchObject({ failed: true })
  })

  it('lasts as long as its stream', async () => {
    const [network, collector] = await started()
    const link = await createLink(network)
    const headers = { authorization: `Bearer ${await network.token()}`, traceparent: PARENT }
    const operation = { query: LINK_UPDATES, variables: { id: link.id } }
    const stream = await openEvents(network.app.url, { operation, headers })
    expect(await stream.next()).not.toBeNull()
    stream.cut()
    await network.stop()
    expect(named(collector.spans(), 'POST /graphql/stream')).toMatchObject({ traceId: TRACE_ID })
  })

  it.each([
    'nonsense',
    `00-${'0'.repeat(32)}-${SPAN_ID}-01`,
    `00-${TRACE_ID}-${'0'.repeat(16)}-01`,
    `ff-${TRACE_ID}-${SPAN_ID}-01`,
    `00-${TRACE_ID.toUpperCase().replace(/\d/g, 'A')}-${SPAN_ID}-01`,
  ])('does not begin at %s', async (traceparent) => {
    const [network, collector] = await started()
    await network.ask('{ __typename }', {}, { headers: { traceparent } })
    await network.stop()
    expect(named(collector.spans(), 'POST /graphql').parentSpanId).toBeUndefined()
  })
})

describe('what a collector is told', () => {
  it('holds no payer data, no variable, no document, no token and no secret', async () => {
    const [network, collector] = await started()
    const customer = { email: EMAIL, firstName: 'Canary', lastName: 'Payer' }
    const input = linkInput({ customer, description: 'canary description', reference: 'canary-reference' })
    const token = await network.token()
    await network.ask(CREATE_LINK, { input }, { token })
    await network.ask('query Q { paymentLink(id: "canary-literal") { id } }', {}, { token })
    await network.ask('query Q { noSuchField(id: "canary-literal") }', {}, { token })
    const link = await createLink(network, input)
    await pay(link.checkoutUrl)
    await network.sandbox.settle()
    await network.stop()
    const told = collector.bodies.join('\n')
    expect(collector.spans().length).toBeGreaterThan(6)
    const secrets = ['canary', 'Canary', EMAIL, token, link.statusToken, link.id, ...Object.values(SECRETS)]
    expect(secrets.filter((secret) => told.includes(secret))).toEqual([])
    for (const { secretKey } of network.sandbox.sites as readonly { secretKey: string }[])
      expect(told).not.toContain(secretKey)
  })

  it('is nobody where no collector is named', async () => {
    const network = await startNetwork()
    closing.push(() => network.close())
    const recorder = await startRecorder(() => network.sandbox.url)
    const plain = await startNetwork({ upstreamUrl: recorder.url })
    closing.push(() => plain.close())
    await plain.ask('{ payinMethods { nodes { code } } }', {}, { headers: { traceparent: PARENT } })
    expect(recorder.headers.length).toBeGreaterThan(0)
    for (const headers of recorder.headers) expect(headers).not.toHaveProperty('traceparent')
  })
})

describe('a collector that', () => {
  it.each([500, 429, 400])('answers %d changes nothing for clients, nor for the end', async (status) => {
    const [network] = await started({}, await startTraceCollector(status))
    expect((await network.ask('{ paymentCurrencies { code } }')).status).toBe(200)
    await network.stop()
  })

  it('is not there changes nothing either', async () => {
    const [network] = await started({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' })
    expect((await network.ask('{ paymentCurrencies { code } }')).status).toBe(200)
    await network.stop()
    expect(network.log()).not.toMatch(/"level":(50|60)/)
  })
})
