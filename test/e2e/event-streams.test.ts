import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pay } from '../support/checkout.ts'
import { eventClient, itemOf, openEvents, type EventRequest, type EventResult } from '../support/events.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink, LINK_UPDATES, type CreatedLink } from '../support/operations.ts'
import type { Item } from '../support/stream.ts'
import { brokenLinks, EVENT_STREAM, gauge, isCaughtUp, isReceived, paidStream, sequences } from '../support/streams.ts'

const LISTED_ORIGIN = 'https://shop.example.test'

let network: Network
let link: CreatedLink
beforeAll(async () => {
  network = await startNetwork({ env: { ALLOWED_ORIGINS: LISTED_ORIGIN }, limits: { keepAliveMs: 200 } })
  link = await createLink(network)
})
afterAll(() => network.close())

const authorization = async (options?: Parameters<Network['token']>[0]) => ({
  authorization: `Bearer ${await network.token(options)}`,
})

const open = async (request: EventRequest) =>
  openEvents(network.app.url, { ...request, headers: { ...(await authorization()), ...request.headers } })

const follow = (variables: Record<string, unknown>, request: Partial<EventRequest> = {}) =>
  open({ operation: { query: LINK_UPDATES, variables }, ...request })

/** Reads items up to the first one that satisfies the predicate. */
async function until(stream: Awaited<ReturnType<typeof openEvents>>, predicate: (item: Item) => boolean) {
  const items: Item[] = []
  do items.push(itemOf(await stream.next()))
  while (!items.slice(-1).every(predicate))
  return items
}

describe('the official client', () => {
  it('reads the state, then what comes, and the end of an operation that has one', async () => {
    const { id, checkoutUrl } = await createLink(network)
    const client = eventClient(network.app.url, () => authorization())
    const items: Item[] = []
    for await (const result of client.iterate<Record<string, Item>>({ query: LINK_UPDATES, variables: { id } })) {
      const item = Object.values((result as EventResult).data ?? {})[0]
      if (item === undefined) throw new Error('An item without data came.')
      items.push(item)
      if (isCaughtUp(item)) await pay(checkoutUrl)
      if (isReceived(item)) break
    }
    expect(items[0]).toMatchObject({ kind: 'SNAPSHOT', link: { state: 'OPEN' } })
    expect(sequences(items)).toEqual([2, 3, 4, 5])
    expect(brokenLinks(items)).toEqual([])

    const answers: unknown[] = []
    const query = 'query Q($id: ID!) { paymentLink(id: $id) { id } }'
    for await (const result of client.iterate({ query, variables: { id } })) answers.push(result)
    expect(answers).toEqual([{ data: { paymentLink: { id } } }])
    client.dispose()
  })

  it('is told of a mistake as an answer, and does not try again', async () => {
    const client = eventClient(network.app.url, () => authorization(), 3)
    const codes: unknown[] = []
    for (const query of [
      'subscription {',
      'subscription { noSuchField }',
      `subscription { paymentUpdates(id: "x") { kind } }`,
    ])
      for await (const { errors } of client.iterate({ query }))
        codes.push((errors as EventResult['errors'])?.[0]?.extensions?.['code'])
    expect(codes).toEqual(['GRAPHQL_PARSE_FAILED', 'GRAPHQL_VALIDATION_FAILED', 'NOT_FOUND'])
    client.dispose()
  })

  it('comes back with a new token when the old one expires', async () => {
    const ttls = [2, 600]
    const client = eventClient(network.app.url, async () => authorization({ ttlSeconds: ttls.shift() ?? 600 }), 3)
    const kinds: unknown[] = []
    for await (const result of client.iterate({ query: LINK_UPDATES, variables: { id: link.id } })) {
      const { data, errors } = result as EventResult
      kinds.push(data?.['paymentLinkUpdates']?.kind ?? errors?.[0]?.extensions?.['code'])
      if (kinds.length === 5) break
    }
    expect(kinds).toEqual(['SNAPSHOT', 'CAUGHT_UP', 'UNAUTHENTICATED', 'SNAPSHOT', 'CAUGHT_UP'])
    client.dispose()
  })
})

describe('a stream of events', () => {
  it.each<[string, Partial<EventRequest>]>([
    ['POST', {}],
    ['GET', { method: 'GET' }],
    ['POST to the address of queries', { path: '/graphql' }],
    ['GET from the address of queries', { path: '/graphql', method: 'GET' }],
    ['POST of a router', { path: '/graphql', headers: { accept: 'application/json, text/event-stream' } }],
  ])('answers %s, and is kept by nobody on the way', async (_how, request) => {
    const stream = await follow({ id: link.id }, request)
    expect(stream.status).toBe(200)
    expect(Object.fromEntries(stream.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    })
    expect((await until(stream, isCaughtUp)).map(({ kind }) => kind)).toEqual(['SNAPSHOT', 'CAUGHT_UP'])
    stream.cut()
  })

  it('sends comments while nothing happens', async () => {
    const { id, checkoutUrl } = await createLink(network)
    const stream = await follow({ id })
    await until(stream, isCaughtUp)
    const next = stream.next()
    await expect.poll(() => stream.text()).toMatch(/: keep-alive\n\n: keep-alive\n\n$/)
    await pay(checkoutUrl)
    expect(itemOf(await next)).toMatchObject({ kind: 'EVENT' })
    stream.cut()
  })

  it('continues after the last event that a browser names, or after the cursor of the operation', async () => {
    const { link: paid, items } = await paidStream(network)
    const second = items.find(({ event }) => event?.sequence === 3)?.cursor ?? ''
    const byVariable = await follow({ id: paid.id, after: second })
    const replayed = await until(byVariable, isCaughtUp)
    expect(sequences(replayed)).toEqual([4, 5])
    expect(brokenLinks(replayed, second)).toEqual([])
    byVariable.cut()

    const first = await follow({ id: paid.id, after: items[0]?.cursor })
    const seen = [await first.next(), await first.next()]
    first.cut()
    expect(seen.map((event) => event?.id)).toEqual(seen.map((event) => itemOf(event).cursor))
    const headers = { 'last-event-id': seen[1]?.id ?? '' }
    const again = await follow({ id: paid.id, after: items[0]?.cursor }, { method: 'GET', headers })
    const rest = await until(again, isCaughtUp)
    expect(sequences([...seen.map(itemOf), ...rest])).toEqual([2, 3, 4, 5])
    expect(brokenLinks(rest, seen[1]?.id)).toEqual([])
    again.cut()
  })

  it('asks to read the state anew after a cursor that is none, names nothing to continue after, and is complete', async () => {
    const stream = await follow({ id: link.id }, { headers: { 'last-event-id': 'forged' } })
    const [resync, complete, ...others] = await stream.rest()
    expect(itemOf(resync ?? null)).toMatchObject({ kind: 'RESYNC_REQUIRED' })
    expect(resync?.id).toBe('')
    expect(complete).toEqual({ id: null, event: 'complete', data: '' })
    expect(others).toEqual([])
  })

  it('ends with its token: an error, no completion, and nothing afterwards', async () => {
    const headers = await authorization({ scopes: ['payments:read'], ttlSeconds: 2 })
    const stream = await follow({ id: link.id }, { headers })
    await until(stream, isCaughtUp)
    const [last, ...others] = await stream.rest()
    expect(JSON.parse(last?.data ?? '')).toEqual({
      errors: [{ message: 'The token has expired.', extensions: { code: 'UNAUTHENTICATED' } }],
    })
    expect(others).toEqual([])
    const payload = headers.authorization.split('.')[1] ?? ''
    const { exp } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { exp: number }
    expect(Date.now()).toBeGreaterThanOrEqual(exp * 1000)
    expect(Date.now()).toBeLessThan(exp * 1000 + 1500)
  })

  it('leaves nothing behind when its peer goes', async () => {
    const streams = [await follow({ id: link.id }), await open({ operation: { query: EVENT_STREAM } })]
    for (const stream of streams) await until(stream, isCaughtUp)
    expect(await gauge(network, 'payments_event_streams_open')).toBeGreaterThanOrEqual(2)
    for (const stream of streams) stream.cut()
    await expect.poll(() => gauge(network, 'payments_event_streams_open')).toBe(0)
    await expect.poll(() => gauge(network, 'payments_streams_open')).toBe(0)
  })
})

describe('what is refused', () => {
  it.each<[string, number, Partial<EventRequest>]>([
    ['a page of a foreign origin', 403, { headers: { origin: 'https://evil.example.test' } }],
    ['a GET of a foreign origin', 403, { method: 'GET', headers: { origin: 'https://evil.example.test' } }],
    ['a foreign origin at the address of queries', 403, { path: '/graphql', headers: { origin: 'null' } }],
    ['a token that does not hold', 401, { headers: { authorization: 'Bearer nonsense' } }],
    ['who takes no events', 406, { headers: { accept: 'application/json' } }],
    ['a GET that does not name events', 406, { method: 'GET', headers: { accept: '*/*' } }],
    ['a form', 415, { headers: { 'content-type': 'text/plain' } }],
    ['what is no operation', 400, { operation: [] as never }],
    [
      'a mutation by GET',
      405,
      { method: 'GET', operation: { query: 'mutation { refreshPayment(id: "x") { __typename } }' } },
    ],
  ])('%s', async (_what, status, request) => {
    const response = await follow({ id: link.id }, request)
    expect(response.status).toBe(status)
    expect(response.headers.get('content-type')).toMatch(/^application\/json/)
  })

  it.each(['*/*', 'text/*; charset=utf-8', ''])('nothing of a POST that accepts %j', async (accept) => {
    const stream = await follow({ id: link.id }, { headers: { accept } })
    expect(stream.headers.get('content-type')).toMatch(/^text\/event-stream/)
    await until(stream, isCaughtUp)
    stream.cut()
  })

  it('nothing of a listed origin, whose page may read the events', async () => {
    const stream = await follow({ id: link.id }, { headers: { origin: LISTED_ORIGIN } })
    expect(stream.headers.get('access-control-allow-origin')).toBe(LISTED_ORIGIN)
    await until(stream, isCaughtUp)
    stream.cut()
  })
})

describe('a stream that has begun', () => {
  it('takes the place of no request', async () => {
    const small = await startNetwork({ env: { GRAPHQL_MAX_IN_FLIGHT: '2' } })
    try {
      const headers = { authorization: `Bearer ${await small.token()}` }
      for (const path of ['/graphql', '/graphql/stream', '/graphql']) {
        const stream = await openEvents(small.app.url, { operation: { query: EVENT_STREAM }, headers, path })
        await until(stream, isCaughtUp)
      }
      expect((await small.ask('{ __typename }')).status).toBe(200)
    } finally {
      await small.close()
    }
  })
})

describe('a stop', () => {
  it('interrupts streams, so that clients come back', async () => {
    const stopping = await startNetwork()
    try {
      const made = await createLink(stopping)
      const headers = { authorization: `Bearer ${await stopping.token()}` }
      const operation = { query: LINK_UPDATES, variables: { id: made.id } }
      const stream = await openEvents(stopping.app.url, { operation, headers })
      await until(stream, isCaughtUp)
      const stopped = stopping.stop()
      const [last, ...others] = await stream.rest()
      expect(JSON.parse(last?.data ?? '')).toMatchObject({ errors: [{ extensions: { code: 'UNAVAILABLE' } }] })
      expect(others).toEqual([])
      await stopped
    } finally {
      await stopping.close()
    }
  })
})
