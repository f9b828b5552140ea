import { afterAll, beforeAll, expect, it } from 'vitest'
import { settle } from '../support/deliveries.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import { historyOf } from '../support/payments.ts'
import { addressOf, deliver, paymentBody } from '../support/webhooks.ts'

let network: Network
beforeAll(async () => void (network = await startNetwork({ sandbox: { mandateMs: 1 } })))
afterAll(() => network.close())

type Found = {
  disposition: string
  needsAttention: boolean
  firstReceivedAt: string
  subjectId: string | null
  signed: boolean
  keyId: string | null
}

async function deliveries(filter: Record<string, unknown>): Promise<Found[]> {
  const { data, errors } = await network.ask<{ webhookDeliveries: { nodes: Found[] } }>(
    `query D($filter: PaymentWebhookDeliveryFilter) { webhookDeliveries(first: 50, filter: $filter) {
      nodes { disposition needsAttention firstReceivedAt subjectId signed keyId } } }`,
    { filter },
  )
  expect(errors).toBeUndefined()
  return data.webhookDeliveries.nodes
}

it('asks for no attention to a doubtful delivery once a read has decided', async () => {
  const link = await createLink(network)
  await network.sandbox.control.setStatus(link.id, 'received')
  await settle(network)
  const paymentId = (await historyOf(network, link.id)).payment?.id ?? ''
  const address = await addressOf(network, link)
  network.sandbox.control.addFault({ method: 'GET', path: '/v3*', times: 100, answer: { status: 503 } })
  network.sandbox.control.addFault({ method: 'GET', path: '/v2*', times: 100, answer: { status: 503 } })
  await deliver(address, paymentBody({ uuid: paymentId, status: 'failed' }))
  await deliver(address, paymentBody({ uuid: paymentId, status: 'partially_refunded', bytes: 1 }))
  await deliver(address, paymentBody({ uuid: paymentId, status: 'received', bytes: 2 }))
  const doubtful = { subjectIds: [paymentId], dispositions: ['DOUBTFUL'] }
  const inDoubt = await deliveries(doubtful)
  expect(inDoubt.length).toBeGreaterThan(0)
  expect(inDoubt.every(({ needsAttention }) => needsAttention)).toBe(true)
  network.sandbox.control.clearFaults()
  await network.ask('mutation R($id: ID!) { refreshPayment(id: $id) { __typename } }', { id: paymentId })
  await expect
    .poll(async () => (await deliveries(doubtful)).map(({ needsAttention }) => needsAttention))
    .toEqual(inDoubt.map(() => false))
  expect(await deliveries({ ...doubtful, needsAttention: true })).toEqual([])
})
