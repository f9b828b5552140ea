import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PRODUCTION, startNetwork, type Network } from '../support/network.ts'
import { createLink, LINK } from '../support/operations.ts'
import { greetedSocket } from '../support/socket.ts'

const SECRETS = ['secret-of-the-router-1', 'secret-of-the-router-2'] as const
const NEW_SECRET = 'secret-of-the-router-3'
const [SECRET] = SECRETS

/** Operations that only the router may run: the document, and the name of the operation if it has several. */
const GUARDED: readonly (readonly [document: string, operationName: string | undefined])[] = [
  ['{ _service { sdl } }', undefined],
  ['{ innocent: _service { text: sdl } }', undefined],
  ['{ _entities(representations: [{ __typename: "PaymentCurrency", code: "AUD" }]) { __typename } }', undefined],
  ['{ payments: _entities(representations: []) { __typename } }', undefined],
  ['{ __schema { types { name } } }', undefined],
  ['{ innocent: __schema { queryType { name } } }', undefined],
  ['{ __type(name: "Payment") { name } }', undefined],
  ['{ paymentCurrencies { code } ... { ... on Query { ... { _service { sdl } } } } }', undefined],
  [
    '{ ...A } fragment A on Query { ...B } fragment B on Query { ... on Query { __schema { queryType { name } } } }',
    undefined,
  ],
  [
    '{ ...B ...A } fragment A on Query { _service { sdl } } fragment B on Query { paymentCurrencies { code } ...A }',
    undefined,
  ],
  ['query Q($yes: Boolean = true) { _service @include(if: $yes) { sdl } }', undefined],
  ['query Q($no: Boolean = false) { paymentCurrencies { code } _service @include(if: $no) { sdl } }', undefined],
  ['query Open { paymentCurrencies { code } } query Closed { _service { sdl } }', 'Closed'],
  ['query Closed { __type(name: "Query") { name } } query Open { paymentCurrencies { code } }', 'Closed'],
]

/** Headers that do not identify the router. */
const STRANGERS: readonly (readonly [name: string, headers: Record<string, string | string[]>])[] = [
  ['no secret', {}],
  ['an empty secret', { 'x-router-secret': '' }],
  ['another secret', { 'x-router-secret': 'secret-of-the-router-9' }],
  ['the beginning of a secret', { 'x-router-secret': SECRET.slice(0, -1) }],
  ['more than a secret', { 'x-router-secret': `${SECRET}1` }],
  ['a secret in capitals', { 'x-router-secret': SECRET.toUpperCase() }],
  ['a secret in quotes', { 'x-router-secret': `"${SECRET}"` }],
  ['a secret with a scheme', { 'x-router-secret': `Bearer ${SECRET}` }],
  ['all secrets', { 'x-router-secret': SECRETS.join(',') }],
  ['two lines of one secret', { 'x-router-secret': [SECRET, SECRET] }],
  ['a line of every secret', { 'x-router-secret': [...SECRETS] }],
  ['a secret under other names', { 'router-secret': SECRET, 'x-router-secret-1': SECRET, 'x-router_secret': SECRET }],
  ['a secret as a cookie', { cookie: `x-router-secret=${SECRET}` }],
]

type Asked = { readonly query: string; readonly operationName?: string | undefined }
type Headers = Record<string, string | string[]>

// promise(authentication): With `ROUTER_SECRETS`, `_service`, `_entities` and introspection are open to the router
// only.
describe.each(['development', 'production'])('the door of the router, in %s', (mode) => {
  let network: Network
  beforeAll(async () => {
    const env = { ...(mode === 'production' ? PRODUCTION : {}), ROUTER_SECRETS: SECRETS.join(',') }
    network = await startNetwork({ env })
  })
  afterAll(() => network.close())

  const post = (asked: Asked, headers: Headers) => overHttp(network.app.url, 'POST', asked, headers)
  const get = (asked: Asked, headers: Headers) => overHttp(network.app.url, 'GET', asked, headers)
  const onSocket = async (asked: Asked, headers: Headers, payload: Record<string, unknown> = {}) => {
    const socket = await greetedSocket(network.app.url, payload, { headers: headers as Record<string, string> })
    socket.send({ id: '1', type: 'subscribe', payload: asked })
    const answer = await socket.next()
    socket.close()
    return answer
  }

  it.each(GUARDED)('is shut to everyone else for %s %s', async (query, operationName) => {
    const asked = { query, operationName }
    for (const [, headers] of STRANGERS) {
      for (const ask of [post, get]) {
        const answer = await ask(asked, headers)
        expect(answer).toMatchObject({ status: 401, body: { errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] } })
        expect(answer.body.data ?? null).toBeNull()
      }
      expect((await onSocket(asked, headers)).type).toBe('error')
    }
  })

  it.each(GUARDED)('is open to each secret for %s %s', async (query, operationName) => {
    const asked = { query, operationName }
    for (const secret of SECRETS) {
      const headers = { 'X-Router-SECRET': secret }
      for (const ask of [post, get]) {
        const { status, body } = await ask(asked, headers)
        expect({ status, errors: body.errors }).toEqual({ status: 200, errors: undefined })
      }
      expect((await onSocket(asked, headers)).type).toBe('next')
    }
  })

  it('is not opened by the address, the body, the token or what a socket is greeted with', async () => {
    const query = '{ _service { sdl } }'
    const extensions = { 'x-router-secret': SECRET, headers: { 'x-router-secret': SECRET } }
    const response = await fetch(`${network.app.url}/graphql?x-router-secret=${SECRET}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query, extensions, ...extensions }),
    })
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toBe('RouterSecret')
    expect(await post({ query }, { authorization: `Bearer ${SECRET}` })).toMatchObject({ status: 401 })
    const payload = { ...extensions, 'X-Router-Secret': SECRET, routerSecret: SECRET, secret: SECRET }
    expect((await onSocket({ query }, {}, payload)).type).toBe('error')
  })

  it('does not stand before an operation that is not run', async () => {
    const query = 'query Open { paymentCurrencies { code } } query Closed { _service { sdl } }'
    const asked = { query, operationName: 'Open' }
    expect((await post(asked, {})).body.errors).toBeUndefined()
    expect((await get(asked, {})).body.errors).toBeUndefined()
    expect((await onSocket(asked, {})).type).toBe('next')
  })

  it.each([
    ['{ _service { sdl } } { paymentCurrencies { code } }', undefined],
    ['query Open { paymentCurrencies { code } } query Closed { _service { sdl } }', undefined],
    ['query Open { paymentCurrencies { code } } query Closed { _service { sdl } }', ''],
    ['query Open { paymentCurrencies { code } } query Closed { _service { sdl } }', 'closed'],
    ['query Same { paymentCurrencies { code } } query Same { _service { sdl } }', 'Same'],
    ['mutation { __schema { queryType { name } } }', undefined],
    ['mutation { __type(name: "Payment") { name } }', undefined],
    ['mutation { _service { sdl } }', undefined],
    ['subscription { __type(name: "Payment") { name } }', undefined],
    ['subscription { __schema { queryType { name } } }', undefined],
    ['subscription { ... { _service { sdl } } }', undefined],
  ])('gives nothing to anybody for %s, run as %j', async (query, operationName) => {
    const asked = { query, operationName }
    for (const headers of [{}, { 'x-router-secret': SECRET }]) {
      const { status, body } = await post(asked, headers)
      expect(status).toBe(200)
      expect(body.data ?? null).toBeNull()
      expect((await onSocket(asked, headers)).type).toBe('error')
    }
  })

  it('gives the router no right that its caller does not have', async () => {
    const link = await createLink(network)
    const headers = { 'x-router-secret': SECRET }
    const stranger = await network.token({ scopes: [], subject: 'stranger' })
    const entity = `{ _entities(representations: [{ __typename: "PaymentLink", id: "${link.id}" }]) { __typename } }`
    for (const [token, code] of [
      [null, 'UNAUTHENTICATED'],
      [stranger, 'FORBIDDEN'],
    ] as const) {
      const options = { token, headers }
      expect((await network.ask('{ paymentEvents { nodes { id } } }', {}, options)).errors).toMatchObject([
        { extensions: { code } },
      ])
      expect((await network.ask(LINK, { id: link.id }, options)).data['paymentLink']).toBeNull()
      expect((await network.ask(entity, {}, options)).data).toEqual({ _entities: [null] })
      const params = token === null ? {} : { token }
      const answer = await onSocket({ query: entity }, headers, params)
      expect(answer.payload).toMatchObject({ data: { _entities: [null] } })
    }
  })

  it('is closed to a token that does not hold, whatever the secret', async () => {
    const headers = { 'x-router-secret': SECRET, authorization: 'Bearer a.b.c' }
    expect(await post({ query: '{ _service { sdl } }' }, headers)).toMatchObject({ status: 401 })
  })

  it('leaves no secret in the log', () => {
    for (const secret of SECRETS) expect(network.log()).not.toContain(secret)
  })
})

describe('the secrets of the router', () => {
  it('are changed without a gap: both hold, then the new one alone', async () => {
    const answers: boolean[][] = []
    for (const secrets of [SECRET, `${NEW_SECRET},${SECRET}`, NEW_SECRET]) {
      const network = await startNetwork({ env: { ROUTER_SECRETS: secrets } })
      const statusWith = async (secret: string) =>
        (await network.ask('{ _service { sdl } }', {}, { headers: { 'x-router-secret': secret } })).status === 200
      answers.push([await statusWith(SECRET), await statusWith(NEW_SECRET)])
      await network.close()
    }
    expect(answers).toEqual([
      [true, false],
      [true, true],
      [false, true],
    ])
  })
})

/** Returns the answer over HTTP. Header values are sent as given, also several of one name. */
async function overHttp(url: string, method: 'GET' | 'POST', asked: Asked, headers: Headers) {
  const search = new URLSearchParams({ query: asked.query, operationName: asked.operationName ?? '' })
  if (asked.operationName === undefined) search.delete('operationName')
  const asking = request(method === 'GET' ? `${url}/graphql?${search.toString()}` : `${url}/graphql`, { method })
  const all: Headers = { 'content-type': 'application/json', ...headers }
  for (const [name, value] of Object.entries(all)) asking.setHeader(name, value)
  asking.end(method === 'GET' ? undefined : JSON.stringify(asked))
  const [response] = (await once(asking, 'response')) as [IncomingMessage]
  const body = JSON.parse((await response.toArray()).join('')) as { data?: unknown; errors?: unknown }
  return { status: response.statusCode, body }
}
