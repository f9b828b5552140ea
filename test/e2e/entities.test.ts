import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pay } from '../support/checkout.ts'
import { startNetwork, type AskOptions, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'

let network: Network
beforeAll(async () => void (network = await startNetwork()))
afterAll(() => network.close())

describe('the owner of a link and its payment', () => {
  const QUERY = `query O($id: ID!, $statusToken: String) {
    paymentLink(id: $id, statusToken: $statusToken) { owner { id } payment { owner { id } } }
  }`

  it('is shown to whoever may read them, and to nobody else', async () => {
    const { id, statusToken, checkoutUrl } = await createLink(network, { ownerId: 'customer-9' })
    await pay(checkoutUrl)
    await network.sandbox.settle()
    await network.app.settle()
    const owner = { id: 'customer-9' }
    const shown = async (options: AskOptions, token: string | null = null) =>
      (await network.ask<{ paymentLink: unknown }>(QUERY, { id, statusToken: token }, options)).data.paymentLink
    const whole = { owner, payment: { owner } }
    expect(await shown({ token: await network.token({ scopes: ['payments:read'] }) })).toEqual(whole)
    expect(await shown({ token: await network.token({ scopes: [], subject: 'customer-9' }) })).toEqual(whole)
    expect(await shown({ token: null }, statusToken)).toEqual(whole)
    expect(await shown({ token: null })).toBeNull()
    expect(await shown({ token: await network.token({ scopes: [], subject: 'customer-8' }) })).toBeNull()
  })
})
