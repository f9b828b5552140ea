import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { nodeIdOf } from '../../src/graphql/arguments/arguments.ts'
import { SECRETS } from '../support/network.ts'
import { CREATE_LINK, createLink, linkInput } from '../support/operations.ts'
import { ROUTER_SECRET, startStage, type Stage } from './stage.ts'

const ORDERS = `query Orders($links: [ID!]!) {
  orders(links: $links) { id customer { name } paymentLink { id reference state order { id } } }
}`

const NODES = `query Nodes($id: ID!, $nodeId: ID!) {
  node(id: $id) { id ... on Customer { name } }
  paymentsNode(nodeId: $nodeId) { nodeId ... on PaymentLink { id state order { customer { name } } } }
}`

let stage: Stage
beforeAll(async () => void (stage = await startStage({ gatewayEnv: { JWT_SECRET: SECRETS.jwt } })))
afterAll(() => stage.close())
beforeEach(() => stage.proxy.clear())

describe('a query across subgraphs', () => {
  it('gives their fields on our entities, and ours on theirs', async () => {
    const { id, reference } = await createLink(stage.network)
    const { data, errors } = await stage.ask(ORDERS, { links: [id] })
    expect(errors).toBeUndefined()
    expect(data).toEqual({
      orders: [
        {
          id: '0',
          customer: { name: 'Name of customer-of-0' },
          paymentLink: { id, reference, state: 'OPEN', order: { id: reference } },
        },
      ],
    })
  })

  it('reads a node of ours beside a node of another subgraph, with what a third adds to ours', async () => {
    const { id } = await createLink(stage.network)
    const nodeId = nodeIdOf('PaymentLink', id)
    const { data, errors } = await stage.ask(NODES, { id: 'customer-1', nodeId })
    expect(errors).toBeUndefined()
    expect(data).toEqual({
      node: { id: 'customer-1', name: 'Name of customer-1' },
      paymentsNode: { nodeId, id, state: 'OPEN', order: { customer: { name: expect.any(String) } } },
    })
  })

  it('carries the token of the caller and the secret of the router, and no other subgraph hears the secret', async () => {
    const { id } = await createLink(stage.network)
    const token = await stage.network.token()
    await stage.ask(ORDERS, { links: [id] }, { token, headers: { 'x-router-secret': 'made-up' } })
    expect(stage.proxy.requests.map(({ headers }) => [headers.authorization, headers['x-router-secret']])).toEqual([
      [`Bearer ${token}`, ROUTER_SECRET],
    ])
  })
})

describe('rights behind the gateway', () => {
  it.each([
    ['no token', null, CREATE_LINK, { input: linkInput() }],
    ['no scope', [], CREATE_LINK, { input: linkInput() }],
    ['no scope', [], '{ paymentEvents { nodes { id } } }', {}],
    ['another scope', ['payments:read'], CREATE_LINK, { input: linkInput() }],
  ] as const)('stop a caller with %s at the gateway', async (_what, scopes, query, variables) => {
    const token = scopes === null ? null : await stage.network.token({ scopes })
    const { data, errors } = await stage.ask(query, variables, { token })
    expect(data ?? null).toBeNull()
    expect(errors).toMatchObject([{ extensions: { code: 'UNAUTHORIZED_FIELD_OR_TYPE' } }])
    expect(stage.proxy.requests).toEqual([])
  })
})
