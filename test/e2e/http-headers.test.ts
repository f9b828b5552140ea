import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startNetwork, type Network } from '../support/network.ts'
import { CREATE_LINK, linkInput } from '../support/operations.ts'
import { defaultAddress, deliver, paymentBody, send, type Reply } from '../support/webhooks.ts'

const SHOP = 'https://shop.example.test'
const QUERY = '{ paymentCurrencies { code } }'
const json = { 'content-type': 'application/json' }

// promise(http): URLs, headers and bodies have a maximum size; response headers forbid sniffing, framing and caching.
describe('an answer', () => {
  let network: Network
  beforeAll(async () => void (network = await startNetwork({ env: { PUBLIC_URL: 'https://pay.example.test' } })))
  afterAll(() => network.close())

  const at = (path: string, method = 'GET') => send(`${network.app.url}${path}`, { method })
  const ANSWERS: Readonly<Record<string, () => Promise<Reply>>> = {
    'of GraphQL': () =>
      send(`${network.app.url}/graphql`, { headers: json, body: JSON.stringify({ query: '{ __typename }' }) }),
    'of GraphQL to nonsense': () => send(`${network.app.url}/graphql`, { headers: json, body: '{' }),
    'of GraphQL to a forged token': () =>
      send(`${network.app.url}/graphql`, { headers: { ...json, authorization: 'Bearer no.real.token' }, body: '{}' }),
    'to a webhook': () => deliver(defaultAddress(network), paymentBody()),
    'to a refused webhook': () => at('/webhooks/payments'),
    'of a probe': () => at('/health/ready'),
    'of the figures': () => at('/metrics'),
    'where nothing is': () => at('/no/such/page'),
    'where an address cannot be read': () => at('/%zz'),
    'to an endless address': () => at(`/graphql?query=${'a'.repeat(9_000)}`),
  }

  it.each(Object.entries(ANSWERS))(
    '%s is for nobody to frame, sniff, keep, pass on, or ask without TLS',
    async (_, ask) => {
      const { headers } = await ask()
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'x-frame-options': 'DENY',
        'cache-control': 'private, no-store',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
        'cross-origin-resource-policy': 'same-origin',
        'strict-transport-security': 'max-age=31536000',
      })
      for (const name of ['server', 'x-powered-by', 'via', 'set-cookie', 'access-control-allow-origin', 'etag'])
        expect(headers).not.toHaveProperty(name)
    },
  )

  it.each([
    ['/graphql?query=', 'an address beyond 8 KiB', 414],
    ['/health/live?', 'an address beyond 8 KiB', 414],
  ])('at %s to %s is %i', async (path, _what, status) => {
    expect((await at(`${path}${'a'.repeat(8 * 1024)}`)).status).toBe(status)
  })

  it('to more headers than anybody needs is 431', async () => {
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${index}`, '1']))
    const url = `${network.app.url}/health/live`
    expect((await send(url, { method: 'GET', headers: many(90) })).status).toBe(200)
    expect((await send(url, { method: 'GET', headers: many(101) })).status).toBe(431)
    expect((await send(url, { method: 'GET', headers: many(2_050) })).status).toBe(431)
  })
})

describe('a server that is not reached over TLS', () => {
  let network: Network
  afterEach(() => network.close())

  it('does not say that it is', async () => {
    network = await startNetwork()
    const { headers } = await send(`${network.app.url}/health/live`, { method: 'GET' })
    expect(headers).not.toHaveProperty('strict-transport-security')
  })
})

describe('a page', () => {
  let network: Network
  let authorization: string
  beforeAll(async () => {
    network = await startNetwork({ env: { ALLOWED_ORIGINS: `${SHOP},capacitor://localhost` } })
    authorization = `Bearer ${await network.token()}`
  })
  afterAll(() => network.close())

  const preflight = (origin: string, headers: Record<string, string> = {}, method = 'POST') =>
    send(`${network.app.url}/graphql`, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': method,
        'access-control-request-headers': 'content-type,authorization',
        ...headers,
      },
    })
  const links = () => network.sandbox.control.state().counters.links

  it.each([SHOP, 'capacitor://localhost'])(
    'of %s may ask, and need not ask whether it may every time',
    async (origin) => {
      const { status, headers } = await preflight(origin)
      expect(status).toBe(204)
      expect(headers).toMatchObject({
        'access-control-allow-origin': origin,
        'access-control-allow-methods': 'GET, POST',
        'access-control-allow-headers': expect.stringContaining('authorization'),
        'access-control-max-age': '600',
      })
      expect(headers.vary).toMatch(/\bOrigin\b/)
      expect(headers).not.toHaveProperty('access-control-allow-credentials')
    },
  )

  it('that asks for a server of the private network is not granted it', async () => {
    for (const name of ['access-control-request-private-network', 'access-control-request-local-network']) {
      const { headers } = await preflight(SHOP, { [name]: 'true' })
      expect(Object.keys(headers).filter((header) => /(?:private|local)-network/.test(header))).toEqual([])
    }
  })

  it.each(['null', `${SHOP}.evil.test`, `${SHOP}, https://evil.test`])(
    'of %j is not allowed, whatever it asks',
    async (origin) => {
      const asked = await preflight(origin)
      const answered = await send(`${network.app.url}/graphql`, {
        headers: { ...json, origin, authorization },
        body: JSON.stringify({ query: QUERY }),
      })
      for (const { headers } of [asked, answered]) {
        expect(headers).not.toHaveProperty('access-control-allow-origin')
        expect(headers).not.toHaveProperty('access-control-allow-credentials')
        expect(headers.vary).toMatch(/\bOrigin\b/)
      }
    },
  )

  it('gets an answer whose cached copy no other page is shown', async () => {
    const { headers } = await send(`${network.app.url}/graphql`, {
      headers: { ...json, origin: SHOP },
      body: JSON.stringify({ query: QUERY }),
    })
    expect(headers['access-control-allow-origin']).toBe(SHOP)
    expect(headers.vary).toMatch(/\bOrigin\b/)
  })

  it.each<[string, string, Record<string, string>]>([
    ['a link', 'GET', {}],
    ['a form', 'POST', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['a form with files', 'POST', { 'content-type': 'multipart/form-data; boundary=x' }],
    ['a form of plain text', 'POST', { 'content-type': 'text/plain' }],
    ['a text that only claims to be JSON', 'POST', { 'content-type': 'text/plain; application/json' }],
    ['a beacon without a type', 'POST', {}],
  ])('cannot make anything by %s, which needs no leave', async (_what, method, headers) => {
    const before = links()
    const body = JSON.stringify({ query: CREATE_LINK, variables: { input: linkInput() } })
    const search = new URLSearchParams({ query: CREATE_LINK, variables: JSON.stringify({ input: linkInput() }) })
    const url = `${network.app.url}/graphql?${search.toString()}`
    const sent = await send(url, {
      method,
      headers: { ...headers, authorization, origin: SHOP },
      ...(method === 'POST' && { body }),
    })
    expect(sent.status).toBeGreaterThanOrEqual(400)
    expect(links()).toBe(before)
  })
})
