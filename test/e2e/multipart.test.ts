import { meros } from 'meros/browser'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pay } from '../support/checkout.ts'
import { openEvents } from '../support/events.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink, LINK_UPDATES, type CreatedLink } from '../support/operations.ts'
import type { Item } from '../support/stream.ts'
import { brokenLinks, isCaughtUp, isReceived, paidStream, sequences } from '../support/streams.ts'

const MULTIPART = 'multipart/mixed;subscriptionSpec=1.0'

let network: Network
let link: CreatedLink
beforeAll(async () => {
  network = await startNetwork({ limits: { keepAliveMs: 200 } })
  link = await createLink(network)
})
afterAll(() => network.close())

type Asked = {
  readonly query?: string
  readonly variables?: Record<string, unknown>
  readonly headers?: Readonly<Record<string, string>>
  readonly on?: Network
}

async function ask({ query = LINK_UPDATES, variables = { id: link.id }, headers = {}, on = network }: Asked = {}) {
  const control = new AbortController()
  const response = await fetch(`${on.app.url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: MULTIPART,
      authorization: `Bearer ${await on.token()}`,
      ...headers,
    },
    body: JSON.stringify({ query, variables }),
    signal: control.signal,
  })
  return { response, cut: () => control.abort() }
}

type Part = {
  readonly payload?: { readonly data?: Record<string, Item>; readonly errors?: unknown } | null
  readonly errors?: readonly { readonly extensions: { readonly code: string } }[]
}

/** Yields the parts of a response, parsed by a client library. */
async function* partsOf(response: Response): AsyncGenerator<Part> {
  const parts = await meros<Part>(response)
  if (!(Symbol.asyncIterator in parts)) throw new Error(`It was answered with ${response.status} in one part.`)
  for await (const { json, body } of parts) {
    if (!json) throw new Error('A part is no JSON.')
    yield body
  }
}

const itemOf = ({ payload }: Part): Item | undefined => Object.values(payload?.data ?? {})[0]

async function until(parts: AsyncGenerator<Part>, predicate: (item: Item) => boolean): Promise<Item[]> {
  const items: Item[] = []
  for (;;) {
    const { value, done } = await parts.next()
    if (done === true) throw new Error('The stream has ended.')
    const item = itemOf(value)
    if (item === undefined) continue
    items.push(item)
    if (predicate(item)) return items
  }
}

async function rest(parts: AsyncGenerator<Part>): Promise<Part[]> {
  const all: Part[] = []
  for await (const part of parts) if (Object.keys(part).length > 0) all.push(part)
  return all
}

describe('a subscription in parts', () => {
  it.each([
    MULTIPART,
    'multipart/mixed;boundary=graphql;subscriptionSpec=1.0,application/json',
    'multipart/mixed; boundary="graphql"; subscriptionSpec="1.0", application/json',
    'multipart/mixed;subscriptionSpec="1.0", text/event-stream',
  ])('is read by whoever accepts %s: the state, then what comes', async (accept) => {
    const { id, checkoutUrl } = await createLink(network)
    const { response, cut } = await ask({ variables: { id }, headers: { accept } })
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'multipart/mixed;boundary="graphql";subscriptionSpec=1.0',
      'cache-control': 'no-store, no-transform',
    })
    const parts = partsOf(response)
    const items = await until(parts, isCaughtUp)
    await pay(checkoutUrl)
    items.push(...(await until(parts, isReceived)))
    expect(items[0]).toMatchObject({ kind: 'SNAPSHOT', link: { state: 'OPEN' } })
    expect(sequences(items)).toEqual([2, 3, 4, 5])
    expect(brokenLinks(items)).toEqual([])
    cut()
  })

  it('stands on the wire as the protocol says, each part with the delimiter behind it', async () => {
    const { response } = await ask({ variables: { id: link.id, after: 'forged' } })
    const text = await response.text()
    expect(text.replace(/\{"data":.*\}(?=\})/, '…')).toBe(
      '--graphql\r\ncontent-type: application/json\r\n\r\n{"payload":…}\r\n--graphql--\r\n',
    )
  })

  it('gives signs of life while nothing happens', async () => {
    const { response, cut } = await ask()
    const parts = partsOf(response)
    await until(parts, isCaughtUp)
    expect([(await parts.next()).value, (await parts.next()).value]).toEqual([{}, {}])
    cut()
  })

  it('continues after the last item that its client names', async () => {
    const { link: paid, items } = await paidStream(network)
    const cursor = items.find(({ event }) => event?.sequence === 3)?.cursor ?? ''
    const { response, cut } = await ask({ variables: { id: paid.id }, headers: { 'last-event-id': cursor } })
    const replayed = await until(partsOf(response), isCaughtUp)
    expect(sequences(replayed)).toEqual([4, 5])
    expect(brokenLinks(replayed, cursor)).toEqual([])
    cut()
  })

  it('ends with its token: errors of the transport, and nothing afterwards', async () => {
    const token = await network.token({ scopes: ['payments:read'], ttlSeconds: 2 })
    const { response } = await ask({ headers: { authorization: `Bearer ${token}` } })
    const parts = await rest(partsOf(response))
    expect(parts.flatMap((part) => itemOf(part)?.kind ?? [])).toEqual(['SNAPSHOT', 'CAUGHT_UP'])
    expect(parts.at(-1)).toEqual({
      payload: null,
      errors: [{ message: 'The token has expired.', extensions: { code: 'UNAUTHENTICATED' } }],
    })
  })

  it('that its resolver refuses has one part with the errors', async () => {
    const { response } = await ask({ variables: { id: 'no-such-link' } })
    expect(await rest(partsOf(response))).toMatchObject([
      { payload: { errors: [{ extensions: { code: 'NOT_FOUND' } }] } },
    ])
  })

  it('counts against the limits of its caller as a stream of events does', async () => {
    const few = await startNetwork({ limits: { perSubject: 1 } })
    try {
      const { id } = await createLink(few)
      const headers = { authorization: `Bearer ${await few.token({ subject: 'somebody' })}` }
      const operation = { query: LINK_UPDATES, variables: { id } }
      const events = await openEvents(few.app.url, { operation, headers })
      const refused = await ask({ variables: { id }, headers, on: few })
      expect(refused.response.status).toBe(429)
      expect(refused.response.headers.get('retry-after')).toBe('5')
      events.cut()
      await expect.poll(async () => (await ask({ variables: { id }, headers, on: few })).response.status).toBe(200)
    } finally {
      await few.close()
    }
  })
})

describe('whoever accepts parts', () => {
  const query = '{ paymentCurrencies { code } }'
  it.each<[string, string, Asked, number]>([
    ['gets JSON for a query that may be JSON', `${MULTIPART},application/json`, { query }, 200],
    [
      'gets JSON for a query of a client that knows @defer',
      'multipart/mixed;deferSpec=20220824,application/json',
      { query },
      200,
    ],
    ['gets no query that may be nothing else', MULTIPART, { query }, 406],
    [
      'gets no subscription in parts of another specification',
      'multipart/mixed;deferSpec=20220824,application/json',
      {},
      400,
    ],
    ['gets no subscription in parts of another version', 'multipart/mixed;subscriptionSpec=1.01', {}, 400],
    ['is told of a bad token as JSON', MULTIPART, { headers: { authorization: 'Bearer nonsense' } }, 401],
    ['is refused as a page of a foreign origin', MULTIPART, { headers: { origin: 'https://evil.example.test' } }, 403],
  ])('%s (%s)', async (_what, accept, asked, status) => {
    const { response } = await ask({ ...asked, headers: { accept, ...asked.headers } })
    expect(response.status).toBe(status)
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(await response.json()).toHaveProperty(status === 200 ? 'data' : 'errors')
  })
})
