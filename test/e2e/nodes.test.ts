import { randomUUID } from 'node:crypto'
import { StatementSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { nodeIdOf } from '../../src/graphql/arguments/arguments.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import { paidStream } from '../support/streams.ts'

type Node = { readonly __typename: string; readonly nodeId: string; readonly [field: string]: unknown }

let network: Network
let paid: { readonly link: string; readonly payment: string; readonly statusToken: string }
beforeAll(async () => {
  network = await startNetwork()
  const { link, paymentId } = await paidStream(network)
  await network.sandbox.control.setStatus(link.id, 'return_received')
  await network.app.settle()
  paid = { link: link.id, payment: paymentId, statusToken: link.statusToken }
})
afterAll(() => network.close())

const NODE = `query Node($nodeId: ID!, $statusToken: String) {
  paymentsNode(nodeId: $nodeId, statusToken: $statusToken) {
    __typename nodeId
    ... on PaymentLink { id state payment { nodeId } }
    ... on Payment { id status refunds { nodeId } }
    ... on PaymentRefund { id refundState: state refunded: payment { nodeId } }
  }
}`

function read(nodeId: string, { statusToken, token }: { statusToken?: string; token?: string | null } = {}) {
  const variables = { nodeId, statusToken: statusToken ?? null }
  return network.ask<{ paymentsNode: Node | null } | null>(NODE, variables, token === undefined ? {} : { token })
}

describe('paymentsNode', () => {
  it('reads a link, its payment and a refund of it, each by the nodeId that the other shows', async () => {
    const link = await read(nodeIdOf('PaymentLink', paid.link))
    const { nodeId = '' } = (link.data?.paymentsNode?.['payment'] ?? {}) as Partial<Node>
    const payment = await read(nodeId)
    const [refund] = (payment.data?.paymentsNode?.['refunds'] ?? []) as Node[]
    expect([link, payment, await read(refund?.nodeId ?? '')].map(({ data }) => data?.paymentsNode)).toMatchObject([
      { __typename: 'PaymentLink', id: paid.link, state: 'PAID' },
      { __typename: 'Payment', id: paid.payment, status: 'RETURN_RECEIVED' },
      { __typename: 'PaymentRefund', id: `${paid.payment}-1`, refundState: 'SETTLED', refunded: { nodeId } },
    ])
  })

  it('is open to the holder of the status token, and to nobody else without a scope', async () => {
    const { statusToken } = paid
    const other = await createLink(network)
    const ids = [
      nodeIdOf('PaymentLink', paid.link),
      nodeIdOf('Payment', paid.payment),
      nodeIdOf('PaymentRefund', `${paid.payment}-1`),
    ]
    for (const nodeId of ids) {
      expect((await read(nodeId, { statusToken, token: null })).data?.paymentsNode?.nodeId).toBe(nodeId)
      for (const wrong of [{}, { statusToken: other.statusToken }])
        expect(await read(nodeId, { ...wrong, token: null })).toEqual({ status: 200, data: { paymentsNode: null } })
    }
  })

  it.each([
    'Payment',
    'PaymentLink',
    'PaymentRefund',
    'PaymentAgreement',
    'GatewayPayment',
    'PaymentWebhookDelivery',
    'PaymentImport',
    'PaymentCustomer',
    'PaymentContact',
    'PayoutTransaction',
    'PayinMethod',
    'PayoutMethod',
  ] as const)('is null for what does not exist: %s', async (type) => {
    const ids = [randomUUID(), '1', '-1', `${paid.payment}-2`, `${paid.payment}-01`, `${paid.payment}-1-1`]
    const others = ids.filter((id) => type !== 'PaymentImport' || id !== '1')
    for (const id of others) expect((await read(nodeIdOf(type, id))).data).toEqual({ paymentsNode: null })
  })

  it('says which argument cannot be read', async () => {
    const { data, errors } = await read(paid.payment)
    expect(data).toEqual({ paymentsNode: null })
    expect(errors).toMatchObject([
      { message: 'nodeId is not a nodeId of this API', extensions: { code: 'BAD_USER_INPUT', argument: 'nodeId' } },
    ])
  })

  it('reads all nodes of one type in one operation with one read of the store', async () => {
    const links = await Promise.all(Array.from({ length: 10 }, () => createLink(network)))
    await network.restart()
    const names = links.map(
      ({ id }, index) => `n${index}: paymentsNode(nodeId: "${nodeIdOf('PaymentLink', id)}") { nodeId }`,
    )
    const reads = vi.spyOn(StatementSync.prototype, 'all')
    const { data } = await network.ask<Record<string, Node | null>>(`{ ${names.join(' ')} }`)
    const ofLinks = reads.mock.calls.filter((values) => links.some(({ id }) => values.includes(id)))
    reads.mockRestore()
    expect(Object.values(data).map((node) => node?.nodeId)).toEqual(links.map(({ id }) => nodeIdOf('PaymentLink', id)))
    expect(ofLinks).toHaveLength(1)
  })
})
