import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PRODUCTION, startNetwork, type Network } from '../support/network.ts'
import { CREATE_LINK, createLink, LINK_UPDATES } from '../support/operations.ts'
import { greetedSocket } from '../support/socket.ts'
import { isCaughtUp } from '../support/streams.ts'

const SERVICE = '{ _service { sdl } }'
const ENTITIES = '{ _entities(representations: [{ __typename: "PaymentCurrency", code: "AUD" }]) { __typename } }'
const HIDDEN = 'fragment F on Query { ... on Query { _service { sdl } } } { paymentCurrencies { code } ...F }'
const INTROSPECTION = '{ __schema { queryType { name } } }'
const TYPE = '{ __type(name: "Payment") { name } }'
const ORDINARY = '{ paymentCurrencies { code } }'

describe('a subgraph that knows its router', () => {
  const SECRETS_OF_ROUTER = ['secret-of-the-router-1', 'secret-of-the-router-2']
  let network: Network
  beforeAll(async () => void (network = await startNetwork({ env: { ROUTER_SECRETS: SECRETS_OF_ROUTER.join(',') } })))
  afterAll(() => network.close())

  const answerOnSocket = async (query: string, headers: Record<string, string>) => {
    const socket = await greetedSocket(network.app.url, { token: await network.token() }, { headers })
    socket.send({ id: '1', type: 'subscribe', payload: { query } })
    const { type } = await socket.next()
    socket.close()
    return type
  }

  it.each([SERVICE, ENTITIES, HIDDEN, INTROSPECTION, TYPE])('keeps %s for the router', async (query) => {
    const wrong = [
      {},
      { 'x-router-secret': '' },
      { 'x-router-secret': 'secret-of-the-router-' },
      { 'x-router-secret': SECRETS_OF_ROUTER.join(', ') },
    ]
    for (const headers of wrong) {
      const answer = await network.ask(query, {}, { headers })
      expect(answer.errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }])
      expect(answer.data ?? null).toBeNull()
      expect(await answerOnSocket(query, headers)).toBe('error')
    }
    for (const secret of SECRETS_OF_ROUTER) {
      const headers = { 'x-router-secret': secret }
      expect((await network.ask(query, {}, { headers })).errors).toBeUndefined()
      expect(await answerOnSocket(query, headers)).toBe('next')
    }
  })

  it('serves everything else to everyone', async () => {
    expect((await network.ask(ORDINARY, {}, { token: null })).errors).toBeUndefined()
    expect(await answerOnSocket(ORDINARY, {})).toBe('next')
    expect((await network.ask('{ __typename }', {}, { token: null })).data).toEqual({ __typename: 'Query' })
  })
})

describe('a subgraph in production', () => {
  let network: Network
  beforeAll(async () => {
    network = await startNetwork({ env: PRODUCTION })
  })
  afterAll(() => network.close())

  /** Returns the answers to an operation over both transports, as text. */
  const answers = async (query: string, variables: Record<string, unknown> = {}) => {
    const token = await network.token()
    const socket = await greetedSocket(network.app.url, { token })
    socket.send({ id: '1', type: 'subscribe', payload: { query, variables } })
    const overSocket = await socket.next()
    socket.close()
    return [JSON.stringify(await network.ask(query, variables, { token })), JSON.stringify(overSocket)]
  }

  it.each([INTROSPECTION, TYPE])('does not tell about itself: %s', async (query) => {
    for (const text of await answers(query)) {
      expect(text).toContain('introspection')
      expect(text).not.toMatch(/"data":\{|queryType"?:/)
    }
  })

  it.each<[string, string, Record<string, unknown>]>([
    ['field', '{ paymentCurrencie { code } }', {}],
    ['argument', '{ payments(firs: 1) { nodes { id } } }', {}],
    ['literal', '{ payments(filter: { phases: [SUCCEDED] }) { nodes { id } } }', {}],
    [
      'variable',
      'query Q($f: PaymentFilter) { payments(filter: $f) { nodes { id } } }',
      { f: { phases: ['SUCCEDED'] } },
    ],
    [
      'name in a variable',
      'query Q($f: PaymentFilter) { payments(filter: $f) { nodes { id } } }',
      { f: { phase: [] } },
    ],
  ])('does not suggest what a misspelt %s might have meant', async (_what, query, variables) => {
    for (const text of await answers(query, variables)) {
      expect(text).toContain('"message"')
      expect(text).not.toMatch(/did you mean|paymentCurrencies|SUCCEEDED/i)
    }
  })

  it('shows no stack, and nothing but GraphQL at its address', async () => {
    const page = await fetch(`${network.app.url}/graphql`, { headers: { accept: 'text/html' } })
    expect(page.status).toBe(400)
    expect(await page.text()).not.toMatch(/<html|node_modules|at \w+ \(/)
  })
})

describe.each(['Apollo', 'Relay'])('a subgraph that runs only trusted documents, from a manifest of %s', (form) => {
  const folder = mkdtempSync(join(tmpdir(), 'manifest-'))
  const documents = new Map([ORDINARY, CREATE_LINK, LINK_UPDATES].map((body) => [sha256(body), body]))
  let network: Network
  beforeAll(async () => {
    const path = join(folder, 'documents.json')
    const operations = [...documents].map(([id, body]) => ({ id, body, name: 'Operation', type: 'query' }))
    const manifest =
      form === 'Apollo'
        ? { format: 'apollo-persisted-query-manifest', version: 1, operations }
        : Object.fromEntries(documents)
    writeFileSync(path, JSON.stringify(manifest))
    network = await startNetwork({ env: { TRUSTED_DOCUMENTS: path } })
  })
  afterAll(async () => {
    await network.close()
    rmSync(folder, { recursive: true })
  })

  const post = async (body: Record<string, unknown>) => {
    const response = await fetch(`${network.app.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return { status: response.status, json: (await response.json()) as { data?: unknown; errors?: unknown } }
  }

  it('runs them over HTTP by id and by text', async () => {
    const id = sha256(ORDINARY)
    const extensions = { persistedQuery: { version: 1, sha256Hash: id } }
    for (const body of [{ documentId: id }, { extensions }, { query: ORDINARY }]) {
      const { status, json } = await post(body)
      expect(status).toBe(200)
      expect(json).toMatchObject({ data: { paymentCurrencies: expect.any(Array) } })
    }
    const search = new URLSearchParams({ extensions: JSON.stringify(extensions) })
    const response = await fetch(`${network.app.url}/graphql?${search.toString()}`, {
      headers: { 'apollo-require-preflight': 'true' },
    })
    expect(response.status).toBe(200)
  })

  it('refuses every other document over HTTP, also one that hides behind a trusted id', async () => {
    const other = '{ paymentCurrencies { exponent } }'
    const extensions = { persistedQuery: { version: 1, sha256Hash: sha256(other) } }
    const bodies = [
      { query: other },
      { documentId: sha256(other) },
      { query: other, extensions },
      { query: other, documentId: sha256(ORDINARY) },
      { query: `${ORDINARY} ` },
      { query: ORDINARY.replace('code', ' code') },
      {},
      { query: null },
    ]
    for (const body of bodies) {
      const { status, json } = await post(body)
      expect(status).toBe(400)
      expect(json).toMatchObject({ errors: [{ extensions: { code: 'UNTRUSTED_DOCUMENT' } }] })
      expect(json.data).toBeUndefined()
    }
  })

  it.each(['[]', 'null', '17', '"text"', '{"query":17}', '{"documentId":17}', '{"extensions":"x"}', ''])(
    'refuses what is no request at all: %s',
    async (body) => {
      const headers = { 'content-type': 'application/json' }
      expect((await fetch(`${network.app.url}/graphql`, { method: 'POST', headers, body })).status).toBe(400)
    },
  )

  it.each(['', '?query=a&query=b', '?extensions=null', '?extensions={', '?documentId=a&documentId=b'])(
    'refuses what is no request at all: GET %s',
    async (search) => {
      const headers = { 'apollo-require-preflight': 'true' }
      expect((await fetch(`${network.app.url}/graphql${search}`, { headers })).status).toBe(400)
    },
  )

  it('refuses a POST without a body', async () => {
    const headers = { 'apollo-require-preflight': 'true' }
    expect((await fetch(`${network.app.url}/graphql`, { method: 'POST', headers })).status).toBe(400)
  })

  it('holds to the same over a socket', async () => {
    const socket = await greetedSocket(network.app.url, { token: await network.token() })
    const run = async (payload: Record<string, unknown>) => {
      socket.send({ id: JSON.stringify(payload), type: 'subscribe', payload })
      return socket.next()
    }
    expect(await run({ query: '{ paymentCurrencies { exponent } }' })).toMatchObject({
      type: 'error',
      payload: [{ extensions: { code: 'UNTRUSTED_DOCUMENT' } }],
    })
    expect(await run({ query: ORDINARY })).toMatchObject({ type: 'next' })
    socket.close()
  })

  it('runs a trusted mutation and a trusted stream', async () => {
    const link = await createLink(network)
    const stream = await network.follow(LINK_UPDATES, { id: link.id })
    expect((await stream.until(isCaughtUp)).map(({ kind }) => kind)).toEqual(['SNAPSHOT', 'CAUGHT_UP'])
    await stream.end()
  })
})

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
