import { afterAll, beforeAll, expect, it } from 'vitest'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import { historyOf } from '../support/payments.ts'

let network: Network
beforeAll(async () => void (network = await startNetwork()))
afterAll(() => network.close())

it('a payment tells when it was disputed, how much of it, and how that was decided', async () => {
  const { id } = await createLink(network, { amount: { value: '80.10', currency: 'AUD' } })
  const disputeAfter = async (...statuses: ('pending' | 'received' | 'in_dispute')[]) => {
    for (const status of statuses) await network.sandbox.control.setStatus(id, status)
    await network.sandbox.settle()
    const query = '{ dispute { openedAt amount { value currency } outcome decidedAt } }'
    const paymentId = (await historyOf(network, id)).payment?.id
    const asked = `query D($id: ID!) { payment(id: $id) ${query} }`
    return (await network.ask<{ payment: { dispute: object | null } }>(asked, { id: paymentId })).data.payment.dispute
  }
  expect(await disputeAfter('pending', 'received')).toBeNull()
  const open = { openedAt: expect.any(String) as string, amount: { value: '80.10', currency: 'AUD' } }
  expect(await disputeAfter('in_dispute')).toEqual({ ...open, outcome: null, decidedAt: null })
  const won = { ...open, outcome: 'WON', decidedAt: expect.any(String) as string }
  await expect.poll(() => disputeAfter('received')).toEqual(won)
})
