import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { payoutInput } from '../support/inputs.ts'
import { made, mutate } from '../support/mutations.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { BY_HAND } from '../support/payins.ts'

let network: Network
beforeAll(async () => void (network = await startNetwork({ sandbox: BY_HAND })))
afterAll(() => network.close())

const create = async (over: Record<string, unknown> = {}): Promise<string> =>
  (await made(mutate(network, 'createPayout', payoutInput(over)), 'payout')).id

describe('a payout on record', () => {
  const FIELDS = `id status version provisional site cancelledAt createdAt updatedAt
    events { nodes { id kind payout { id version } } }
    transactions { payeeMasked accountNumberMasked bankCode }`

  it('tells its account, its history, and its payees masked', async () => {
    const id = await create({ scheduledAt: new Date(Date.now() + 3_600_000).toISOString() })
    await expect
      .poll(async () => (await network.ask(`{ payout(id: "${id}") { statusRaw } }`)).data)
      .toEqual({
        payout: { statusRaw: 'scheduled' },
      })
    await mutate(network, 'cancelScheduledPayout', { idempotencyKey: `cancel-${id}`, id })
    const token = await network.token({ scopes: ['payouts:read'] })
    const { data, errors } = await network.ask(`query P($id: ID!) { payout(id: $id) { ${FIELDS} } }`, { id }, { token })
    expect(errors).toBeUndefined()
    expect(data['payout']).toMatchObject({
      id,
      status: 'EXPIRED',
      site: expect.any(String),
      cancelledAt: expect.any(String),
      createdAt: expect.any(String),
      transactions: [{ payeeMasked: 'G*** P***', accountNumberMasked: '***445', bankCode: null }, {}],
    })
    const { nodes } = (data['payout'] as { events: { nodes: { id: string; kind: string }[] } }).events
    expect(nodes[0]).toMatchObject({ id: `payout:${id}.1`, kind: 'PAYOUT_CREATED' })
    expect(nodes.at(-1)?.kind).toMatch(/^PAYOUT_(STATUS|DETAILS)_CHANGED$/)
  })

  it('has its events in the feed, where its state needs the right to read payouts', async () => {
    const id = await create()
    const query = `query E($ids: [ID!]) { paymentEvents(filter: { payoutIds: $ids }) { nodes { kind payout { id } } } }`
    expect((await network.ask(query, { ids: [id] })).data['paymentEvents']).toEqual({
      nodes: [{ kind: 'PAYOUT_CREATED', payout: { id } }],
    })
    const token = await network.token({ scopes: ['payments:read'] })
    expect((await network.ask(query, { ids: [id] }, { token })).data['paymentEvents']).toEqual({
      nodes: [{ kind: 'PAYOUT_CREATED', payout: null }],
    })
  })
})
