import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PayoutRequest } from '../../src/domain/payouts/payout-rules.ts'
import { createSites } from '../../src/upstream/client/sites.ts'
import { createUpstreamClient } from '../../src/upstream/upstream-client.ts'
import { payoutInput } from '../support/inputs.ts'
import { made, mutate } from '../support/mutations.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { BY_HAND } from '../support/payins.ts'

let network: Network
beforeAll(async () => void (network = await startNetwork({ sandbox: BY_HAND })))
afterAll(() => network.close())

/** Creates payouts with the account's own credentials, as another program of the merchant does. */
async function payoutsMadeElsewhere(count: number): Promise<string[]> {
  const sites = createSites(network.sandbox.sites)
  const site = sites.forCurrency('AUD')
  if (site === null) throw new Error('The sandbox has no site for AUD.')
  const client = createUpstreamClient({ baseUrl: network.sandbox.url, sites })
  const webhook = {
    endpointUrl: `${network.app.url}/webhooks/payouts/elsewhere`,
    authorizationHeader: 'Bearer v1.k.abc',
  }
  const batch = { ...(payoutInput() as unknown as PayoutRequest), webhook }
  const payouts = await Promise.all(Array.from({ length: count }, () => client.createPayout(site, batch)))
  await client.close()
  return payouts.map(({ id }) => id)
}

describe('twenty payouts that another subgraph refers to', () => {
  const ENTITIES = `query Payouts($of: [_Any!]!) { _entities(representations: $of) { ... on PaymentPayout { id status } } }`
  const reads = () => network.sandbox.control.calls().filter(({ path }) => path.includes('/v2/payouts/detail')).length
  const callsFor = async (ids: readonly string[]) => {
    const before = reads()
    const of = ids.map((id) => ({ __typename: 'PaymentPayout', id }))
    expect((await network.ask(ENTITIES, { of })).data['_entities']).toEqual(
      ids.map((id) => ({ id, status: expect.any(String) })),
    )
    return reads() - before
  }

  it('made here: from the record, without a call, also after a restart', async () => {
    const ids = await Promise.all(
      Array.from({ length: 20 }, async () => (await made(mutate(network, 'createPayout', payoutInput()), 'payout')).id),
    )
    expect(await callsFor([...ids, ...ids])).toBe(0)
    await network.restart()
    expect(await callsFor(ids)).toBe(0)
  })

  it('made elsewhere: every account is asked once, and then the one that pays them', async () => {
    const ids = await payoutsMadeElsewhere(20)
    const others = network.sandbox.sites.length - 1
    expect(await callsFor(ids)).toBe(20 + others)
    expect(await callsFor(ids)).toBe(20)
  })
})
