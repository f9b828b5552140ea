import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PRODUCTION, startNetwork, type Network } from '../support/network.ts'
import { greetedSocket } from '../support/socket.ts'

const INTROSPECTION = '{ __schema { queryType { name } } }'
const TYPE = '{ __type(name: "Payment") { name } }'

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
