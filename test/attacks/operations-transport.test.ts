import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startNetwork, type Network } from '../support/network.ts'
import { CREATE_LINK, linkInput } from '../support/operations.ts'
import { send } from '../support/webhooks.ts'

const QUERY = '{ paymentCurrencies { code } }'
const JSON_TYPE = { 'content-type': 'application/json' }
const PREFLIGHT = { 'apollo-require-preflight': 'true' }

let network: Network
let authorization: string
let links: number
beforeAll(async () => {
  network = await startNetwork({ env: { ALLOWED_ORIGINS: 'https://shop.example.test' } })
  authorization = `Bearer ${await network.token()}`
})
beforeEach(() => void (links = made()))
afterAll(() => network.close())

const made = () => network.sandbox.control.state().counters.links
const url = () => `${network.app.url}/graphql`
const mutation = () => ({ query: CREATE_LINK, variables: { input: linkInput() } })
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

type Attempt = { method?: string; headers?: Record<string, string>; search?: Record<string, string>; body?: string }

/** Sends a request with a valid token; returns the reply and the number of links created. */
async function attempt({ method = 'POST', headers = {}, search, body }: Attempt) {
  const query = search === undefined ? '' : `?${new URLSearchParams(search).toString()}`
  const reply = await send(`${url()}${query}`, {
    method,
    headers: { authorization, ...headers },
    ...(body === undefined ? {} : { body }),
  })
  return { ...reply, made: made() - links }
}

const inSearch = () => ({ query: CREATE_LINK, variables: JSON.stringify({ input: linkInput() }) })

// promise(operations): Mutations are never executed by GET; batches, persisted queries and duplicate keys are refused.
describe('a mutation', () => {
  it.each<[string, number, () => Attempt]>([
    ['GET', 405, () => ({ method: 'GET', headers: PREFLIGHT, search: inSearch() })],
    [
      'GET with another such parameter',
      405,
      () => ({ method: 'GET', headers: PREFLIGHT, search: { ...inSearch(), _method: 'POST' } }),
    ],
    [
      'GET of two operations, one of them a query',
      405,
      () => ({
        method: 'GET',
        headers: PREFLIGHT,
        search: { ...inSearch(), query: `query Q { __typename } ${CREATE_LINK}`, operationName: 'CreateLink' },
      }),
    ],
    ['HEAD', 404, () => ({ method: 'HEAD', headers: PREFLIGHT, search: inSearch() })],
    ['PUT', 404, () => ({ method: 'PUT', headers: JSON_TYPE, body: JSON.stringify(mutation()) })],
    [
      'PUT that says it is a POST',
      404,
      () => ({
        method: 'PUT',
        headers: { ...JSON_TYPE, 'x-http-method-override': 'POST' },
        body: JSON.stringify(mutation()),
      }),
    ],
    ['OPTIONS', 404, () => ({ method: 'OPTIONS', headers: JSON_TYPE, body: JSON.stringify(mutation()) })],
    ['POST with the text in the address', 400, () => ({ headers: JSON_TYPE, search: inSearch(), body: '{}' })],
  ])('by %s is refused with %i and makes nothing', async (_how, status, make) => {
    expect(await attempt(make())).toMatchObject({ status, made: 0 })
  })

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/graphql',
    'text/plain, application/json',
  ])('as %s is refused, also where a page says that it has asked first', async (type) => {
    for (const headers of [{ 'content-type': type }, { 'content-type': type, ...PREFLIGHT }]) {
      const reply = await attempt({ headers, body: JSON.stringify(mutation()) })
      expect(reply).toMatchObject({ status: 415, made: 0 })
    }
  })

  it('by the upload protocol of multipart forms is refused', async () => {
    const part = (name: string, text: string) =>
      `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`
    const body = `${part('operations', JSON.stringify(mutation()))}${part('map', '{}')}--x--\r\n`
    const headers = { 'content-type': 'multipart/form-data; boundary=x', ...PREFLIGHT }
    expect(await attempt({ headers, body })).toMatchObject({ status: 415, made: 0 })
  })

  const body = JSON.stringify
  it.each<[string, (text: string) => string]>([
    ['a batch', (text) => `[${text}]`],
    ['a byte order mark', (text) => `\uFEFF${text}`],
    ['a key twice', (text) => text.replace('{', `{"query":${body(QUERY)},`)],
    ['a key twice, once in disguise', (text) => text.replace('{', `{"qu\\u0065ry":${body(QUERY)},`)],
    ['a key of the variables twice', (text) => text.replace('"variables":{', '"variables":{"input":{},')],
    [
      'a key of an input twice',
      (text) => text.replace('"amount":', `"amount"\n${' '.repeat(50)}:{"value":"1","currency":"AUD"},"amount":`),
    ],
    ['variables twice', (text) => text.replace('{', '{"variables":{"input":{}},')],
    ['nothing but its text', () => CREATE_LINK],
  ])('with %s is refused with 400', async (_what, make) => {
    const reply = await attempt({ headers: JSON_TYPE, body: make(body(mutation())) })
    expect(reply).toMatchObject({ status: 400, made: 0 })
    expect(JSON.parse(reply.body)).toMatchObject({ errors: [{ extensions: { code: 'BAD_REQUEST' } }] })
  })

  it('that comes as it should makes a link, also with the same thing twice within its strings', async () => {
    const input = linkInput({ description: '{"query": 1, "query": 2} \\" ' })
    const reply = await attempt({ headers: JSON_TYPE, body: body({ query: CREATE_LINK, variables: { input } }) })
    expect(reply).toMatchObject({ status: 200, made: 1 })
  })

  it.each<[string, unknown]>([
    ['query', 17],
    ['query', { kind: 'Document', definitions: [] }],
    ['variables', '{"input":{}}'],
    ['operationName', 17],
    ['extensions', 'x'],
    ['extensions', { persistedQuery: 'x' }],
    ['extensions', { persistedQuery: { version: 1, sha256Hash: 17 } }],
    ['documentId', 17],
  ])('whose %s is %j is refused with 400', async (name, value) => {
    const reply = await attempt({ headers: JSON_TYPE, body: body({ ...mutation(), [name]: value }) })
    expect(reply).toMatchObject({ status: 400, made: 0 })
  })
})

describe('documents that clients register by themselves', () => {
  const persisted = (hash: string) => ({ extensions: { persistedQuery: { version: 1, sha256Hash: hash } } })

  it.each<[string, () => Record<string, unknown>]>([
    ['with their text', () => ({ ...mutation(), ...persisted(sha256(CREATE_LINK)) })],
    ['with another text', () => ({ ...mutation(), ...persisted(sha256(QUERY)) })],
    ['without a text', () => ({ variables: mutation().variables, ...persisted(sha256(CREATE_LINK)) })],
    ['by an id', () => ({ variables: mutation().variables, documentId: sha256(CREATE_LINK) })],
  ])('are not kept: %s', async (_how, make) => {
    await attempt({ headers: JSON_TYPE, body: JSON.stringify(mutation()) })
    links = made()
    const reply = await attempt({ headers: JSON_TYPE, body: JSON.stringify(make()) })
    expect(reply.made).toBe(0)
    expect(JSON.parse(reply.body)).toMatchObject({
      errors: [{ extensions: { code: 'PERSISTED_QUERY_NOT_SUPPORTED' } }],
    })
  })
})

describe('a query by GET', () => {
  it.each<[string, string]>([
    ['a text twice', 'query={__typename}&query={__typename}'],
    ['a key of the variables twice', 'query={__typename}&variables={"a":1,"a":2}'],
    ['a key of the extensions twice', 'query={__typename}&extensions={"a":{"b":1,"b"%20:2}}'],
    ['variables twice', 'query={__typename}&variables={}&variables={}'],
    ['variables that are no JSON', 'query={__typename}&variables={'],
    ['nothing', ''],
  ])('with %s is refused with 400', async (_what, search) => {
    const reply = await send(`${url()}?${search}`, { method: 'GET', headers: PREFLIGHT })
    expect(reply.status).toBe(400)
  })
})
