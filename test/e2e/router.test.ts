import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PRODUCTION, startNetwork, type Network } from '../support/network.ts'
import { greetedSocket } from '../support/socket.ts'

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

  it('shows no stack, and nothing but GraphQL at its address', async () => {
    const page = await fetch(`${network.app.url}/graphql`, { headers: { accept: 'text/html' } })
    expect(page.status).toBe(400)
    expect(await page.text()).not.toMatch(/<html|node_modules|at \w+ \(/)
  })
})
