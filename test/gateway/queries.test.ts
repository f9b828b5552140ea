import { randomUUID } from 'node:crypto'
import { StatementSync } from 'node:sqlite'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { nodeIdOf } from '../../src/graphql/arguments/arguments.ts'
import { SECRETS } from '../support/network.ts'
import { CREATE_LINK, createLink, LINK, linkInput, type CreateLinkResult } from '../support/operations.ts'
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

  it('asks for a hundred links in one request, which is one read of the store', async () => {
    const made = await Promise.all(Array.from({ length: 4 }, () => createLink(stage.network)))
    await stage.network.sandbox.settle()
    await stage.network.app.settle()
    const missing = Array.from({ length: 96 }, () => randomUUID())
    stage.proxy.clear()
    const reads = vi.spyOn(StatementSync.prototype, 'all')
    const links = [...made.map(({ id }) => id), ...missing]
    const { data } = await stage.ask<{ orders: { paymentLink: { id: string } | null }[] }>(
      'query O($links: [ID!]!) { orders(links: $links) { paymentLink { id reference } } }',
      { links },
    )
    const ofLinks = reads.mock.calls.filter((values) => made.some(({ id }) => values.includes(id)))
    reads.mockRestore()
    expect(data.orders.map(({ paymentLink }) => paymentLink?.id)).toEqual([
      ...made.map(({ id }) => id),
      ...missing.map(() => undefined),
    ])
    expect(stage.proxy.requests.map(({ body }) => body.variables?.['representations'])).toEqual([
      expect.objectContaining({ length: 100 }),
    ])
    expect(ofLinks).toHaveLength(1)
  })
})

describe('rights behind the gateway', () => {
  it('let a caller with the scope command, and give a repeat the same answer', async () => {
    const input = linkInput()
    const make = () => stage.ask<{ createPaymentLink: CreateLinkResult }>(CREATE_LINK, { input })
    const first = await make()
    expect(first.data.createPaymentLink).toMatchObject({ __typename: 'CreatePaymentLinkSuccess', replayed: false })
    const second = await make()
    expect(second.data.createPaymentLink).toMatchObject({
      replayed: true,
      link: { id: first.data.createPaymentLink.link?.id },
    })
  })

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

  it('of the owner and of the status token are decided by the subgraph, also for an entity', async () => {
    const { id, statusToken } = await createLink(stage.network, { ownerId: 'owner' })
    const asOwner = { token: await stage.network.token({ scopes: [], subject: 'owner' }) }
    const asStranger = { token: await stage.network.token({ scopes: [], subject: 'stranger' }) }
    const link = { paymentLink: { id } }
    const none = { paymentLink: null }
    expect((await stage.ask(LINK, { id }, asOwner)).data).toMatchObject(link)
    expect((await stage.ask(LINK, { id, statusToken }, { token: null })).data).toMatchObject(link)
    expect((await stage.ask(LINK, { id }, { token: null })).data).toEqual(none)
    expect((await stage.ask(LINK, { id, statusToken }, asStranger)).data).toMatchObject(link)
    expect((await stage.ask(LINK, { id }, asStranger)).data).toEqual(none)
    const query = 'query O($links: [ID!]!) { orders(links: $links) { paymentLink { id } customer { name } } }'
    const withState = query.replace('{ id }', '{ state }')
    expect((await stage.ask(withState, { links: [id] }, asOwner)).data).toMatchObject({
      orders: [{ paymentLink: { state: 'OPEN' } }],
    })
    const guest = { token: null, headers: { 'payment-status-token': `st1.unknown, ${statusToken}` } }
    expect(await stage.ask(withState, { links: [id] }, guest)).toMatchObject({
      data: { orders: [{ paymentLink: { state: 'OPEN' } }] },
    })
    const unread = await stage.ask(withState, { links: [id] }, asStranger)
    expect(unread).toMatchObject({
      data: { orders: [{ paymentLink: null, customer: { name: 'Name of customer-of-0' } }] },
    })
    expect(unread.errors).toBeUndefined()
  })
})
