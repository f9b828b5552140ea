import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DEFAULT_SITES } from 'payments-subgraph-sandbox'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { PRODUCTION, startNetwork, type Network } from '../support/network.ts'

const ROUTER_SECRET = 'secret-of-the-router-1'
const ROUTER = { 'x-router-secret': ROUTER_SECRET }
const CURRENCIES = '{ paymentCurrencies { code } }'
const PREFLIGHT = { 'apollo-require-preflight': 'true' }
const searchOf = (query: string) => `?${new URLSearchParams({ query }).toString()}`

let network: Network
beforeAll(async () => {
  network = await startNetwork({ env: { ...PRODUCTION, ROUTER_SECRETS: ROUTER_SECRET } })
})
afterAll(() => network.close())

type Headers = Readonly<Record<string, string>>

async function answered(response: Response) {
  return { status: response.status, cached: response.headers.get('cache-control'), body: await response.text() }
}

async function post(body: unknown, headers: Headers = {}, { app } = network) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const all = { 'content-type': 'application/json', ...headers }
  return answered(await fetch(`${app.url}/graphql`, { method: 'POST', headers: all, body: text }))
}

async function get(search: string, headers: Headers = {}) {
  return answered(await fetch(`${network.app.url}/graphql${search}`, { headers }))
}

/** Sends a request three times: the answer is computed, stored, and returned from the cache. */
async function thrice<Reply>(ask: () => Promise<Reply>): Promise<Reply> {
  const first = await ask()
  for (let time = 1; time < 3; time += 1) expect(await ask()).toEqual(first)
  return first
}

const codeOf = (body: string) =>
  (JSON.parse(body) as { errors?: { extensions: { code: string } }[] }).errors?.[0]?.extensions.code

describe('an answer that was recalled', () => {
  it('is not given to a token that does not hold', async () => {
    const request = { query: CURRENCIES }
    await thrice(() => post(request))
    const expired = await network.token({ ttlSeconds: -3_600 })
    for (const token of ['nonsense', expired, expired]) {
      const { status, cached, body } = await post(request, { authorization: `Bearer ${token}` })
      expect([status, cached, codeOf(body)]).toEqual([401, 'private, no-store', 'UNAUTHENTICATED'])
    }
  })

  it('is not given to whom it cannot be written for', async () => {
    await thrice(() => post({ query: CURRENCIES }))
    const { status, cached } = await post({ query: CURRENCIES }, { accept: 'image/png' })
    expect([status, cached]).toEqual([406, 'private, no-store'])
    const { status: other } = await post({ query: CURRENCIES }, { accept: 'application/graphql-response+json' })
    expect(other).toBe(200)
  })

  it('is not given to a GET that any page may send', async () => {
    await thrice(() => get(searchOf(CURRENCIES), PREFLIGHT))
    expect((await get(searchOf(CURRENCIES))).status).toBe(400)
    expect((await get(searchOf(CURRENCIES), { 'content-type': 'text/plain' })).status).toBe(400)
    expect((await get(searchOf(CURRENCIES), { 'content-type': 'text/csv' })).status).toBe(415)
  })

  it.each(['', 'GET ', 'POST ', 'router GET '])(
    'is not given to a body that reads as “%s” and its address',
    async (before) => {
      await thrice(() => get(searchOf(CURRENCIES), PREFLIGHT))
      await thrice(() => get(searchOf(CURRENCIES), { ...PREFLIGHT, ...ROUTER }))
      const { status, body } = await post(`${before}/graphql${searchOf(CURRENCIES)}`)
      expect([status, codeOf(body)]).toEqual([400, 'BAD_REQUEST'])
    },
  )

  it.each(['router ', 'POST ', ' '])(
    'is not given to a body that is “%s” and the body of the router',
    async (before) => {
      const request = JSON.stringify({ query: '{ _service { sdl } }' })
      expect((await thrice(() => post(request, ROUTER))).status).toBe(200)
      expect(JSON.parse((await post(`${before}${request}`)).body)).not.toHaveProperty('data')
    },
  )

  it('is not given to who asks for a trace', async () => {
    await thrice(() => post({ query: CURRENCIES }, ROUTER))
    const { body, cached } = await post({ query: CURRENCIES }, { ...ROUTER, 'apollo-federation-include-trace': 'ftv1' })
    expect(JSON.parse(body)).toHaveProperty('extensions.ftv1')
    expect(cached).toBe('private, no-store')
  })

  it('is that to the same operation with the same variables', async () => {
    const query = 'query A { paymentCurrencies { code } } query B($code: ID!) { payinMethod(code: $code) { name } }'
    const a = await thrice(() => post({ query, operationName: 'A' }))
    const b = await thrice(() => post({ query, operationName: 'B', variables: { code: 'au_card_aud' } }))
    const other = await thrice(() => post({ query, operationName: 'B', variables: { code: 'br_pix_brl' } }))
    expect(new Set([a.body, b.body, other.body]).size).toBe(3)
    expect(JSON.parse(other.body)).toEqual({ data: { payinMethod: { name: 'Pix' } } })
    expect((await post({ query })).status).toBe(200)
  })

  it.each([
    '{ _service { sdl } }',
    `{ paymentCurrencies { code } _service { sdl } }`,
    '{ __schema { queryType { name } } }',
  ])('to the router is not given to others: %s', async (query) => {
    expect((await thrice(() => post({ query }, ROUTER))).status).toBe(200)
    expect(JSON.parse((await post({ query })).body)).not.toHaveProperty('data')
  })
})

it('a text that only the router may send is not recalled for others', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'documents-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const manifest = join(folder, 'manifest.json')
  writeFileSync(manifest, JSON.stringify({ one: 'query One { paymentCurrencies { exponent } }' }))
  const guarded = await startNetwork({ env: { ROUTER_SECRETS: ROUTER_SECRET, TRUSTED_DOCUMENTS: manifest } })
  onTestFinished(() => guarded.close())
  expect((await thrice(() => post({ query: CURRENCIES }, ROUTER, guarded))).cached).toBe('public, max-age=3600')
  const { body } = await post({ query: CURRENCIES }, {}, guarded)
  expect(codeOf(body)).toBe('UNTRUSTED_DOCUMENT')
})

describe('when a list changes', () => {
  afterEach(() => void vi.restoreAllMocks())

  it('an answer from before is not recalled', async () => {
    const sites = DEFAULT_SITES.filter(({ currencies }) => currencies[0] === 'AUD')
    const one = await startNetwork({ sandbox: { sites } })
    onTestFinished(() => one.close())
    let now = performance.now()
    vi.spyOn(performance, 'now').mockImplementation(() => now)
    const query = '{ payinMethods(usableFor: [LINK]) { nodes { code } } }'
    const methods = () => post({ query }, {}, one)
    await thrice(methods)
    now += 299_500
    // Another request, since the cache reads the clock once per turn of the event loop.
    await post({ query: '{ __typename }' }, {}, one)
    const before = await thrice(methods)
    expect(before).toMatchObject({ cached: 'public, max-age=300', body: expect.stringContaining('au_card_aud') })

    const record = { currency: 'AUD', payin_method_code: 'au_new_aud', payin_method_name: 'New', min_amount: 1 }
    const answer = { status: 200, body: { records: [{ ...record, max_amount: 9, checkout_languages: ['en'] }] } }
    one.sandbox.control.addFault({ path: '/v3/payin_methods', times: 100, answer })
    now += 600
    expect(await methods()).toEqual(before)
    const fresh = '{ again: payinMethods(usableFor: [LINK]) { nodes { code } } }'
    const renewed = '{"data":{"again":{"nodes":[{"code":"au_new_aud"}]}}}'
    await expect.poll(async () => (await post({ query: fresh }, {}, one)).body).toBe(renewed)
    expect((await methods()).body).toBe('{"data":{"payinMethods":{"nodes":[{"code":"au_new_aud"}]}}}')
  })
})
