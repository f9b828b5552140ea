import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAgreement, NO_ANSWER } from '../support/agreements.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import { createPayin } from '../support/payins.ts'

const OWNER = 'customer-7'

type Ids = { readonly nodes: readonly { readonly id: string }[]; readonly totalCount: number | null }
type Lists = Readonly<Record<'paymentLinks' | 'payments' | 'paymentAgreements', Ids>>

const LISTS = `query Own($links: PaymentLinkFilter, $payments: PaymentsFilter, $agreements: PaymentAgreementFilter) {
  paymentLinks(filter: $links) { totalCount nodes { id } }
  payments(filter: $payments, orderBy: UPDATED) { totalCount nodes { id } }
  paymentAgreements(filter: $agreements) { totalCount nodes { id } }
}`

const FOLLOW = `subscription Follow($id: ID!, $statusToken: String) {
  paymentAgreementUpdates(id: $id, statusToken: $statusToken) {
    kind agreement { id status version events { nodes { kind } } } event { toStatus }
  }
}`

let network: Network
let own: { link: string; payments: string[]; agreement: Awaited<ReturnType<typeof createAgreement>> }
beforeAll(async () => {
  network = await startNetwork({ sandbox: NO_ANSWER })
  const link = await createLink(network, { ownerId: OWNER })
  await network.sandbox.control.setStatus(link.id, 'received')
  await network.sandbox.settle()
  const payin = await createPayin(network, { ownerId: OWNER })
  const agreement = await createAgreement(network, { ownerId: OWNER })
  const paid = network.sandbox.control.state().links[0]?.paymentUuid ?? ''
  own = { link: link.id, payments: [payin.id, paid], agreement }
  // What others own, and what nobody owns.
  const others = await createLink(network, { ownerId: 'customer-8' })
  await network.sandbox.control.setStatus(others.id, 'received')
  await createPayin(network)
  await createAgreement(network, { ownerId: 'customer-8', clientTransactionId: 'of-customer-8' })
})
afterAll(() => network.close())

const tokenOf = (subject: string) => network.token({ scopes: [], subject })

describe('a caller with a token of its own and without scopes', () => {
  it('lists its own links, payments and agreements, and nobody else’s', async () => {
    const mine = (await network.ask<Lists>(LISTS, {}, { token: await tokenOf(OWNER) })).data
    expect(mine.paymentLinks).toEqual({ totalCount: 1, nodes: [{ id: own.link }] })
    expect(new Set(mine.payments.nodes.map(({ id }) => id))).toEqual(new Set(own.payments))
    expect(mine.payments.totalCount).toBe(2)
    expect(mine.paymentAgreements).toEqual({ totalCount: 1, nodes: [{ id: own.agreement.id }] })
    const nothing = (await network.ask<Lists>(LISTS, {}, { token: await tokenOf('customer-9') })).data
    expect(Object.values(nothing)).toEqual([1, 2, 3].map(() => ({ totalCount: 0, nodes: [] })))
  })

  it('finds nothing of others by a filter, and is refused another owner', async () => {
    const token = await tokenOf('customer-9')
    const byIds = {
      links: { ids: [own.link] },
      payments: { ids: own.payments },
      agreements: { ids: [own.agreement.id] },
    }
    const found = (await network.ask<Lists>(LISTS, byIds, { token })).data
    expect(Object.values(found)).toEqual([1, 2, 3].map(() => ({ totalCount: 0, nodes: [] })))
    const another = { payments: { ownerId: OWNER } }
    expect((await network.ask(LISTS, another, { token })).errors).toMatchObject([
      { path: ['payments'], extensions: { code: 'FORBIDDEN' } },
    ])
  })

  it.each(['owner', 'status token'])('follows an agreement as its %s, and nobody else does', async (as) => {
    const ownerId = 'customer-10'
    const { id, serviceId, statusToken } = await createAgreement(network, { ownerId, clientTransactionId: `of-${as}` })
    const stranger = await network.token({ scopes: [], subject: 'customer-9' })
    await expect(network.follow(FOLLOW, { id }, { token: stranger }).then((stream) => stream.next())).rejects.toThrow(
      'Nothing was found with this id',
    )
    const stream = await (as === 'owner'
      ? network.follow(FOLLOW, { id }, { token: await tokenOf(ownerId) })
      : network.follow(FOLLOW, { id, statusToken }, { token: null }))
    expect(await stream.next()).toMatchObject({
      kind: 'SNAPSHOT',
      agreement: { id, status: 'CREATED', events: { nodes: [{ kind: 'AGREEMENT_CREATED' }] } },
    })
    await network.sandbox.control.setAgreementStatus(serviceId, 'active')
    await stream.until(({ kind }) => kind === 'CAUGHT_UP')
    expect(await stream.next()).toMatchObject({
      agreement: { id, status: 'ACTIVE' },
      event: { toStatus: 'active' },
    })
    await stream.end()
  })

  it('reads an agreement by its status token alone, and no other with it', async () => {
    const query =
      'query One($id: ID!, $statusToken: String) { paymentAgreement(id: $id, statusToken: $statusToken) { id } }'
    const read = async (id: string, statusToken: string | undefined) =>
      (await network.ask(query, { id, statusToken }, { token: null })).data['paymentAgreement']
    const { id, statusToken } = own.agreement
    expect(await read(id, statusToken)).toEqual({ id })
    expect(await read(id, undefined)).toBeNull()
    const other = await createAgreement(network, { clientTransactionId: 'another' })
    expect(await read(other.id, statusToken)).toBeNull()
    expect(await read(id, other.statusToken)).toBeNull()
  })
})
