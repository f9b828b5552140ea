import { gzipSync } from 'node:zlib'
import { Client, fetchExchange } from '@urql/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startNetwork, type Network } from '../support/network.ts'
import { send } from '../support/webhooks.ts'

const QUERY = '{ paymentCurrencies { code } }'
const KIB = 1024

let network: Network
let authorization: string
beforeAll(async () => {
  network = await startNetwork({ env: { ALLOWED_ORIGINS: 'https://shop.example.test' } })
  authorization = `Bearer ${await network.token()}`
})
afterAll(() => network.close())

const graphql = () => `${network.app.url}/graphql`
const json = { 'content-type': 'application/json' }

describe('GraphQL over HTTP', () => {
  it('answers a query by POST and by GET', async () => {
    const posted = await fetch(graphql(), { method: 'POST', headers: json, body: JSON.stringify({ query: QUERY }) })
    expect(posted.status).toBe(200)
    const search = new URLSearchParams({ query: QUERY })
    const got = await fetch(`${graphql()}?${search.toString()}`, { headers: { 'apollo-require-preflight': 'true' } })
    expect(got.status).toBe(200)
    expect(await got.json()).toEqual(await posted.json())
    for (const { headers } of [posted, got]) expect(headers.get('cache-control')).toBe('public, max-age=3600')
  })

  it('answers a query with variables and a name by GET', async () => {
    const search = new URLSearchParams({
      query: 'query A($code: ID!) { payinMethod(code: $code) { code } } query B { paymentCurrencies { code } }',
      operationName: 'A',
      variables: JSON.stringify({ code: 'au_card_aud' }),
    })
    const response = await fetch(`${graphql()}?${search.toString()}`, { headers: { 'apollo-require-preflight': '1' } })
    expect(await response.json()).toEqual({ data: { payinMethod: { code: 'au_card_aud' } } })
  })

  it.each(['/graphql', '/graphql/stream'])('refuses a compressed body with 415, and says so: %s', async (path) => {
    const body = gzipSync(JSON.stringify({ query: QUERY }))
    const accept = path === '/graphql' ? 'application/json' : 'text/event-stream'
    const headers = { ...json, accept, 'content-encoding': 'gzip' }
    const response = await fetch(`${network.app.url}${path}`, { method: 'POST', headers, body })
    expect([response.status, response.headers.get('accept-encoding')]).toEqual([415, 'identity'])
    expect(await response.json()).toMatchObject({ errors: [{ message: expect.stringContaining('content encoding') }] })
    const named = { ...json, accept, 'content-encoding': 'Identity' }
    const plain = { method: 'POST', headers: named, body: JSON.stringify({ query: QUERY }) }
    expect((await fetch(`${network.app.url}${path}`, plain)).status).toBe(200)
  })

  it('does not answer a GET that any page may send', async () => {
    const search = new URLSearchParams({ query: QUERY })
    expect((await fetch(`${graphql()}?${search.toString()}`)).status).toBe(400)
    // A browser sends the credentials of the basic scheme by itself.
    const basic = { authorization: `Basic ${Buffer.from('user:password').toString('base64')}` }
    expect((await fetch(`${graphql()}?${search.toString()}`, { headers: basic })).status).toBe(401)
  })

  it('answers a GET with a token, which no page can send by itself, and the first query of urql by its defaults', async () => {
    const search = new URLSearchParams({ query: QUERY })
    expect((await fetch(`${graphql()}?${search.toString()}`, { headers: { authorization } })).status).toBe(200)
    const methods: (string | undefined)[] = []
    const client = new Client({
      url: graphql(),
      exchanges: [fetchExchange],
      fetchOptions: { headers: { authorization } },
      fetch: (url, options) => {
        methods.push(options?.method)
        return fetch(url, options)
      },
    })
    expect(await client.query(QUERY, {}).toPromise()).toMatchObject({
      error: undefined,
      data: { paymentCurrencies: expect.any(Array) as unknown },
    })
    expect(methods).toEqual(['GET'])
  })

  it('runs no subscription', async () => {
    const query = 'subscription { paymentEventStream { kind } }'
    const headers = { ...json, authorization }
    const response = await fetch(graphql(), { method: 'POST', headers, body: JSON.stringify({ query }) })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ errors: [{ message: expect.stringContaining('WebSocket') }] })
  })

  it('refuses a body of more than 100 KiB with 413, told by its length or counted', async () => {
    const large = JSON.stringify({ query: QUERY, variables: { padding: 'x'.repeat(100 * KIB) } })
    expect((await send(graphql(), { headers: json, body: large })).status).toBe(413)
    const parts = [large.slice(0, 50 * KIB), large.slice(50 * KIB)]
    expect((await send(graphql(), { headers: json, body: parts })).status).toBe(413)
    const fitting = JSON.stringify({ query: QUERY, padding: 'x'.repeat(99 * KIB) })
    expect((await send(graphql(), { headers: json, body: fitting })).status).toBe(200)
  })

  it.each(['PUT', 'DELETE', 'PATCH'])('has no %s', async (method) => {
    expect((await fetch(graphql(), { method })).status).toBe(404)
  })
})

describe('the rest of the address space', () => {
  it.each(['/nothing', '/graphql/', '/sandbox/state', '/health', '/webhook', '/%2e%2e/etc/passwd', '/graphql%00'])(
    'has nothing at %s',
    async (path) => {
      const reply = await send(`${network.app.url}${path}`, { method: 'GET' })
      expect(reply.status).toBe(404)
      expect(JSON.parse(reply.body)).toEqual({
        errors: [{ message: 'There is nothing at this address.', extensions: { code: 'BAD_REQUEST' } }],
      })
    },
  )

  it.each(['/webhooks', '/webhooks/payments/a/b', '/webhooks/agreement'])(
    'has nothing at %s, in the words of every refused webhook',
    async (path) => {
      const reply = await send(`${network.app.url}${path}`, { method: 'GET' })
      expect(reply).toMatchObject({ status: 404, body: 'refused' })
    },
  )
})

describe('calls from a page', () => {
  it('of a listed origin may read how long to wait', async () => {
    const response = await fetch(graphql(), { headers: { origin: 'https://shop.example.test' } })
    expect(response.headers.get('access-control-expose-headers')).toBe('Retry-After, ETag, traceparent')
  })
})
