import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DEFAULT_SITES } from 'payments-subgraph-sandbox'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startNetwork, type Network } from '../support/network.ts'

const METHODS = 'query Methods { payinMethods { nodes { code } } }'
const LINKS = 'query Links { paymentLinks { nodes { id } } }'
const idOf = (text: string) => createHash('sha256').update(text).digest('hex')

let network: Network
let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'documents-'))
  const manifest = join(folder, 'manifest.json')
  writeFileSync(manifest, JSON.stringify({ [idOf(METHODS)]: METHODS, [idOf(LINKS)]: LINKS }))
  network = await startNetwork({
    env: { TRUSTED_DOCUMENTS: manifest, ALLOWED_ORIGINS: 'https://shop.example.test' },
  })
})
afterAll(async () => {
  await network.close()
  rmSync(folder, { recursive: true })
})

async function get(text: string, headers: Record<string, string> = {}) {
  const search = new URLSearchParams({ extensions: JSON.stringify({ persistedQuery: { sha256Hash: idOf(text) } }) })
  const authorization = `Bearer ${await network.token()}`
  const response = await fetch(`${network.app.url}/graphql?${search.toString()}`, {
    headers: { 'apollo-require-preflight': 'true', authorization, ...headers },
  })
  return { status: response.status, headers: response.headers, body: await response.text() }
}

// promise(http): A response with a stale or failed part is `no-store`.
describe('an answer that is the same for everyone', () => {
  it('may be kept, and is not sent again to whoever has it', async () => {
    const first = await get(METHODS)
    const tag = first.headers.get('etag') ?? ''
    expect(first.headers.get('cache-control')).toBe('public, max-age=300')
    expect(first.headers.get('vary')).toMatch(/\bAccept\b/)
    expect(tag).toMatch(/^"[\w-]{43}(?:-gzip)?"$/)
    for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      const again = await get(METHODS, { 'if-none-match': known })
      expect([again.status, again.body, again.headers.get('etag')]).toEqual([304, '', tag])
      expect(again.headers.get('cache-control')).toBe('public, max-age=300')
    }
    for (const other of ['"other"', tag.slice(1, -1), ''])
      expect(await get(METHODS, { 'if-none-match': other })).toMatchObject({ status: 200, body: first.body })
  })

  it('names every header that it depends on', async () => {
    const { headers } = await get(METHODS, { origin: 'https://shop.example.test' })
    expect(headers.get('vary')?.split(', ').toSorted()).toEqual(['Accept', 'Accept-Encoding', 'Origin'])
  })
})

describe('any other answer', () => {
  it.each<[string, string, Record<string, string>, number]>([
    ['that depends on rights', LINKS, {}, 200],
    ['with a token that does not hold', METHODS, { authorization: 'Bearer nonsense' }, 401],
    ['of an unknown document', 'query Unknown { paymentCurrencies { code } }', {}, 200],
  ])('%s is kept by nobody', async (_what, text, headers, status) => {
    const answer = await get(text, { ...headers, 'if-none-match': '*' })
    expect(answer.status).toBe(status)
    expect(answer.headers.get('cache-control')).toBe('private, no-store')
    expect(answer.headers.get('etag')).toBeNull()
  })
})

const [AU, JP] = ['AUD', 'JPY'].map((code) => DEFAULT_SITES.find(({ currencies }) => currencies[0] === code))
if (AU === undefined || JP === undefined) throw new Error('The sandbox has no such sites.')

/** Returns the caching headers of the answer to a document, and its body. GET and POST must have the same `cache-control`. */
async function policyOf({ app }: Network, query: string, variables: Record<string, unknown> = {}) {
  const search = new URLSearchParams({ query, variables: JSON.stringify(variables) })
  const headers = { 'apollo-require-preflight': 'true' }
  const response = await fetch(`${app.url}/graphql?${search.toString()}`, { headers })
  const posted = await fetch(`${app.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  })
  const policy = response.headers.get('cache-control')
  expect(posted.headers.get('cache-control')).toBe(policy)
  return { policy, tag: response.headers.get('etag'), body: (await response.json()) as Record<string, unknown> }
}

const PUBLIC = 'public, max-age=300'
const NOT_KEPT = { policy: 'private, no-store', tag: null }

describe('during an outage of one site', () => {
  let outage: Network
  beforeAll(async () => {
    const broken = [{ ...AU, secretKey: 'wrong-secret-of-a-site' }, JP]
    outage = await startNetwork({ sandbox: { sites: [AU, JP] }, env: { UPSTREAM_SITES: JSON.stringify(broken) } })
  })
  afterAll(() => outage.close())

  it.each([
    [
      'a list without it',
      '{ payinMethods { nodes { code } unavailable } }',
      { payinMethods: { unavailable: ['AUD'] } },
    ],
    ['an empty list', '{ payinMethods(currencies: ["AUD"]) { nodes { code } } }', { payinMethods: { nodes: [] } }],
    ['a method that is not found', '{ payinMethod(code: "au_card_aud") { name } }', { payinMethod: null }],
    ['a code that might be its own', '{ payinMethod(code: "opaque") { name } }', { payinMethod: null }],
    [
      'one part of several',
      '{ paymentCurrencies { code } none: payinMethod(code: "au_card_aud") { name } }',
      { none: null },
    ],
    [
      'a part in a fragment',
      'query { ...Q } fragment Q on Query { payinMethods { stale } }',
      { payinMethods: { stale: false } },
    ],
  ])('nobody keeps %s', async (_what, query, data) => {
    const { body, ...told } = await policyOf(outage, query)
    expect(body).toMatchObject({ data })
    expect(told).toEqual(NOT_KEPT)
  })

  it.each([
    ['a list of the other site', '{ payinMethods(currencies: ["JPY"]) { nodes { code } unavailable } }', PUBLIC],
    ['a method of the other site', '{ payinMethod(code: "jp_card_jpy") { name } }', PUBLIC],
    ['what is no part of it', '{ paymentCurrencies { code } }', 'public, max-age=3600'],
  ])('everybody may still keep %s', async (_what, query, policy) => {
    expect((await policyOf(outage, query)).policy).toBe(policy)
  })

  it('an entity tag from before does not answer for what is not known now', async () => {
    const query = '{ payinMethods { nodes { code } } }'
    const search = new URLSearchParams({ query })
    const headers = { 'apollo-require-preflight': 'true', 'if-none-match': '*' }
    const response = await fetch(`${outage.app.url}/graphql?${search.toString()}`, { headers })
    expect([response.status, response.headers.get('etag')]).toEqual([200, null])
    expect(response.headers.get('cache-control')).toBe('private, no-store')
  })

  it("nobody keeps a router's entities", async () => {
    const query = '{ _entities(representations: [{ __typename: "PayinMethod", code: "au_card_aud" }]) { __typename } }'
    const { body, ...told } = await policyOf(outage, query)
    expect(body).toMatchObject({ data: { _entities: [null] } })
    expect(told).toEqual(NOT_KEPT)
  })
})

describe('what a method asks for', () => {
  it('is kept by nobody while the payments API does not tell, and by everybody once it has', async () => {
    const one = await startNetwork({ sandbox: { sites: [AU, JP] } })
    onTestFinished(() => one.close())
    const query = '{ payinMethod(code: "au_card_aud") { requiredFields { name } } }'
    const path = '/v2/payins/payin_method/params'
    one.sandbox.control.addFault({ path, times: 100, answer: { status: 500 } })
    const { body, ...told } = await policyOf(one, query)
    expect(body).toEqual({ data: { payinMethod: { requiredFields: null } } })
    expect(told).toEqual(NOT_KEPT)
    one.sandbox.control.clearFaults()
    await expect.poll(async () => (await policyOf(one, query)).policy).toBe(PUBLIC)
  })
})
