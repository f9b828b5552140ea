import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAgreement, NO_ANSWER } from '../support/agreements.ts'
import { erase, erasures, payerOf, tryToErase } from '../support/erasures.ts'
import { payoutInput } from '../support/inputs.ts'
import { made, mutate } from '../support/mutations.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import { createPayin } from '../support/payins.ts'
import { historyOf, REFRESH } from '../support/payments.ts'
import { addressOf, defaultAddress, deliver, paymentBody } from '../support/webhooks.ts'

let network: Network
beforeAll(async () => void (network = await startNetwork({ sandbox: NO_ANSWER })))
afterAll(() => network.close())

const ADA = { name: 'Ada Payer', email: 'ada@example.test' }
const customer = { firstName: 'Ada', lastName: 'Payer', email: ADA.email }

/** Creates a link that is paid. Returns the ids of the link and of its payment. */
async function paidLink(over: Record<string, unknown> = {}) {
  const link = await createLink(network, { customer, ...over })
  await network.sandbox.control.setStatus(link.id, 'received')
  await network.sandbox.settle()
  return { link, paymentId: (await historyOf(network, link.id)).payment?.id ?? '' }
}

async function payerOfAgreement(id: string) {
  const query = 'query Payer($id: ID!) { paymentAgreement(id: $id) { payer { name accountNumberMasked } } }'
  const { data } = await network.ask<{ paymentAgreement: { payer: unknown } }>(query, { id })
  return data.paymentAgreement.payer
}

describe('erasePayer', () => {
  it('by a payment erases its payer, and neither a webhook nor a read brings it back', async () => {
    const { link, paymentId } = await paidLink()
    const other = await paidLink()
    expect(await payerOf(network, paymentId)).toEqual(ADA)
    const erasure = await erase(network, 'PAYMENT', paymentId)
    expect(erasure).toMatchObject({
      by: 'PAYMENT',
      state: 'DONE',
      requestedBy: 'dpo-1',
      payments: 1,
      agreements: 0,
      payouts: 0,
      payers: 1,
      doneAt: expect.any(String) as string,
    })
    expect(JSON.stringify(erasure)).not.toMatch(new RegExp(`Ada|ada@|${paymentId}`))
    expect(await payerOf(network, paymentId)).toBeNull()
    expect(await payerOf(network, other.paymentId)).toEqual(ADA)

    await network.sandbox.control.setStatus(link.id, 'return_pending')
    await network.sandbox.settle()
    expect((await historyOf(network, link.id)).payment?.status).toBe('RETURN_PENDING')
    expect(await payerOf(network, paymentId)).toBeNull()
    // The payments API still tells the payer.
    const again = paymentBody({ uuid: paymentId, status: 'return_pending' })
    expect((await deliver(await addressOf(network, link), again)).status).toBe(200)
    expect(await payerOf(network, paymentId)).toBeNull()
    const refreshed = await network.ask<{ refreshPayment: { __typename: string } }>(REFRESH, { id: paymentId })
    expect(refreshed.data.refreshPayment.__typename).toBe('RefreshPaymentSuccess')
    expect(await payerOf(network, paymentId)).toBeNull()
  })

  it('by a link erases the payers of its payments', async () => {
    const { link, paymentId } = await paidLink()
    const other = await paidLink()
    expect(await erase(network, 'LINK', link.id)).toMatchObject({ state: 'DONE', payments: 1, payers: 1 })
    expect(await payerOf(network, paymentId)).toBeNull()
    expect(await payerOf(network, other.paymentId)).toEqual(ADA)
  })

  it('by an agreement erases its payer', async () => {
    const { id } = await createAgreement(network)
    expect(await payerOfAgreement(id)).toMatchObject({ accountNumberMasked: expect.any(String) as string })
    expect(await erase(network, 'AGREEMENT', id)).toMatchObject({
      state: 'DONE',
      agreements: 1,
      payments: 0,
      payers: 1,
    })
    expect(await payerOfAgreement(id)).toBeNull()
  })

  it('by a payout erases its payees', async () => {
    const { id } = await made(mutate(network, 'createPayout', payoutInput()), 'payout')
    const query = 'query P($id: ID!) { payout(id: $id) { transactions { payee payeeMasked accountNumberMasked } } }'
    const payees = async () => (await network.ask(query, { id })).data['payout']
    expect(await payees()).toMatchObject({ transactions: [{ payee: 'Grace Payee' }, { payee: 'Joan Payee' }] })
    expect(await erase(network, 'PAYOUT', id)).toMatchObject({ state: 'DONE', payouts: 1, payments: 0, payers: 2 })
    const nobody = { payee: null, payeeMasked: null, accountNumberMasked: null }
    expect(await payees()).toEqual({ transactions: [nobody, nobody] })
  })

  it('by an owner erases the payers of the payments of its links and payins', async () => {
    const ownerId = 'customer-erased'
    const { paymentId } = await paidLink({ ownerId })
    const other = await paidLink({ ownerId: 'customer-kept' })
    const payin = await createPayin(network, { ownerId })
    await deliver(defaultAddress(network), paymentBody({ uuid: payin.id, status: 'received' }))
    expect(await payerOf(network, payin.id)).not.toBeNull()
    expect(await erase(network, 'OWNER', ownerId)).toMatchObject({ state: 'DONE', payments: 2 })
    expect(await payerOf(network, paymentId)).toBeNull()
    expect(await payerOf(network, payin.id)).toBeNull()
    expect(await payerOf(network, other.paymentId)).toEqual(ADA)
  })

  it('by an e-mail address erases the payers that have it, in any case', async () => {
    const email = 'Grace.Hopper@Example.test'
    const { paymentId } = await paidLink({ customer: { ...customer, email } })
    const other = await paidLink()
    expect(await erase(network, 'EMAIL', ' grace.hopper@EXAMPLE.test ')).toMatchObject({ state: 'DONE', payers: 1 })
    expect(await payerOf(network, paymentId)).toBeNull()
    expect(await payerOf(network, other.paymentId)).toEqual(ADA)
  })

  it('may be repeated, and finds nothing that is left', async () => {
    const { paymentId } = await paidLink()
    const first = await erase(network, 'PAYMENT', paymentId)
    const second = await erase(network, 'PAYMENT', paymentId)
    expect(second).toMatchObject({ state: 'DONE', payments: 0, payers: 0, valueHash: first.valueHash })
    expect(second.id).not.toBe(first.id)
  })

  it('erases many in the background, and says so', async () => {
    const email = 'many@example.test'
    const ids = Array.from({ length: 1_000 }, (_, index) => `many-${index}`)
    const send = (uuid: string) => deliver(defaultAddress(network), paymentBody({ uuid, email }))
    for (let at = 0; at < ids.length; at += 50) await Promise.all(ids.slice(at, at + 50).map(send))
    const erasure = await erase(network, 'EMAIL', email)
    expect(erasure.payers).toBeGreaterThanOrEqual(600)
    await expect
      .poll(async () => (await erasures(network)).nodes.find(({ id }) => id === erasure.id))
      .toMatchObject({ state: 'DONE', payers: 1_000 })
    expect(await payerOf(network, 'many-999')).toBeNull()
  })

  it.each(['PAYMENT', 'LINK', 'AGREEMENT'])('by a %s that is not there says so', async (by) => {
    expect(await tryToErase(network, by, 'nobody')).toMatchObject({ __typename: 'PaymentsNotFoundError' })
  })

  it.each(['OWNER', 'EMAIL'])('by an %s of whom there is nothing is done', async (by) => {
    expect(await erase(network, by, 'nobody@example.test')).toMatchObject({ state: 'DONE', payments: 0, payers: 0 })
  })

  it.each(['', ' ', 'x'.repeat(256), 'a\u0000b'])('refuses the value %j', async (value) => {
    expect(await tryToErase(network, 'EMAIL', value)).toMatchObject({
      __typename: 'PaymentsInvalidInputError',
      problems: [{ path: ['value'] }],
    })
    const query = 'query E($of: ErasePayerInput!) { erasablePayers(of: $of) { payments } }'
    const { data } = await network.ask(query, { of: { by: 'EMAIL', value } })
    expect(data).toEqual({ erasablePayers: { payments: 0 } })
  })

  it('puts neither the value nor the payer into the log', async () => {
    const ownerId = 'customer-erased-quietly'
    await paidLink({ ownerId })
    expect(await erase(network, 'OWNER', ownerId)).toMatchObject({ state: 'DONE', payments: 1 })
    expect(network.log()).toContain('"msg":"payers were erased"')
    expect(network.log()).not.toMatch(/Ada|example\.test|customer-erased|grace/i)
  })
})

describe('payerErasures', () => {
  it('lists erasures page by page, newest first, and those by one value', async () => {
    const email = 'listed@example.test'
    const listed = [await erase(network, 'EMAIL', email), await erase(network, 'OWNER', email)].toReversed()
    const page = await erasures(network, { first: 1 })
    expect(page).toMatchObject({ nodes: [listed[0]], pageInfo: { hasNextPage: true } })
    expect((await erasures(network, { first: 1, after: page.pageInfo.endCursor })).nodes).toEqual([listed[1]])
    const of = { by: 'EMAIL', value: 'LISTED@example.test' }
    expect((await erasures(network, { of })).nodes).toEqual([listed[1]])
    expect((await erasures(network, { of: { by: 'EMAIL', value: 'other' } })).nodes).toEqual([])
  })
})
