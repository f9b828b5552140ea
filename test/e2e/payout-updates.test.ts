import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { payoutInput } from '../support/inputs.ts'
import { made, mutate } from '../support/mutations.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { BY_HAND } from '../support/payins.ts'
import { PAYOUT_UPDATES } from '../support/payouts.ts'

let network: Network
beforeAll(async () => void (network = await startNetwork({ sandbox: BY_HAND })))
afterAll(() => network.close())

const create = async (over: Record<string, unknown> = {}): Promise<string> =>
  (await made(mutate(network, 'createPayout', payoutInput(over)), 'payout')).id

describe('the updates of a payout', () => {
  it('begin with its state, and go on live; from a cursor they are replayed', async () => {
    const id = await create()
    const stream = await network.follow(PAYOUT_UPDATES, { id })
    const snapshot = await stream.next()
    expect(snapshot).toMatchObject({ kind: 'SNAPSHOT', event: null, payout: { id, status: 'CREATED', version: 1 } })
    expect(await stream.next()).toMatchObject({ kind: 'CAUGHT_UP' })
    await network.sandbox.control.setPayoutStatus(id, 'processing')
    const event = {
      id: `payout:${id}.2`,
      kind: 'PAYOUT_STATUS_CHANGED',
      sequence: 2,
      source: 'WEBHOOK',
      fromStatus: 'created',
      toStatus: 'processing',
      payout: { id },
    }
    const payout = { id, status: 'PROCESSING', version: 2 }
    expect(await stream.next()).toMatchObject({ kind: 'EVENT', event, payout })
    await stream.end()
    await network.sandbox.control.setPayoutStatus(id, 'completed')

    const replayed = await network.follow(PAYOUT_UPDATES, { id, after: snapshot?.cursor })
    expect(await replayed.next()).toMatchObject({ kind: 'EVENT', event, payout: { status: 'COMPLETED', version: 3 } })
    expect(await replayed.next()).toMatchObject({
      payout: { status: 'COMPLETED', transactions: [{ statusRaw: 'settled', payeeMasked: 'G*** P***' }, {}] },
    })
    expect(await replayed.next()).toMatchObject({ kind: 'CAUGHT_UP' })
    await replayed.end()
  })

  it('are not there for a payout that is nobody’s', async () => {
    const stream = await network.follow(PAYOUT_UPDATES, { id: 'no-such-payout' })
    const refused = await stream.next().catch((error: { errors: unknown }) => error.errors)
    expect(refused).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }])
    await stream.end()
  })
})

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

  it('is in the list by what it is, a page at a time', async () => {
    const ids = [await create({ reference: 'list-1' }), await create({ reference: 'list-1' })]
    const list = (variables: Record<string, unknown>) =>
      network.ask<{
        recordedPayouts: { nodes: { id: string }[]; pageInfo: { endCursor: string; hasNextPage: boolean } }
      }>(
        `query R($filter: PayoutFilter, $first: Int! = 20, $after: String) {
          recordedPayouts(filter: $filter, first: $first, after: $after) { nodes { id } pageInfo { endCursor hasNextPage } }
        }`,
        variables,
      )
    const filter = { reference: 'list-1', currency: 'AUD', methodCode: 'au_bank_aud', statuses: ['CREATED'] }
    const first = (await list({ filter, first: 1 })).data.recordedPayouts
    expect(first).toMatchObject({ nodes: [{ id: ids[1] }], pageInfo: { hasNextPage: true } })
    const second = (await list({ filter, first: 1, after: first.pageInfo.endCursor })).data.recordedPayouts
    expect(second).toMatchObject({ nodes: [{ id: ids[0] }], pageInfo: { hasNextPage: false } })
    expect((await list({ filter: { reference: 'none' } })).data.recordedPayouts.nodes).toEqual([])
    const byInstant = { filter: { createdFrom: '2020-01-01T00:00:00.000Z' }, after: first.pageInfo.endCursor }
    expect((await list(byInstant)).errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }])
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
