import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { newKey } from '../support/inputs.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import { historyOf } from '../support/payments.ts'
import { isCaughtUp } from '../support/streams.ts'

const PAYMENT = `query P($id: ID!) { payment(id: $id) {
  id version duplicate { reason foundAt resolvedAt resolution other { id } } } }`
const OPEN = 'query O($f: PaymentsFilter) { payments(filter: $f) { nodes { id } } }'
const DISMISS = `mutation D($input: DismissDuplicatePaymentInput!) { dismissDuplicatePayment(input: $input) {
  __typename ... on DismissDuplicatePaymentSuccess { payment { duplicate { resolution } } } ... on PaymentsNotFoundError { code } } }`
const FEED = `subscription F($after: String) { paymentEventStream(filter: { kinds: [DUPLICATE_PAYMENT_FOUND, DUPLICATE_PAYMENT_RESOLVED] }, after: $after) {
  kind cursor event { kind payment { id } } } }`

type Asked = { payment: { id: string; version: number; duplicate: Record<string, unknown> | null } }

let network: Network
beforeAll(async () => {
  network = await startNetwork()
})
afterAll(() => network.close())

/** Makes a link for an order and has it paid. Returns the id of the payment. */
async function paid(input: Record<string, unknown>): Promise<string> {
  const link = await createLink(network, input)
  for (const status of ['pending', 'received'] as const) await network.sandbox.control.setStatus(link.id, status)
  await network.sandbox.settle()
  return (await historyOf(network, link.id)).payment?.id ?? ''
}
const duplicateOf = async (id: string) => (await network.ask<Asked>(PAYMENT, { id })).data.payment.duplicate
const open = async () =>
  (await network.ask<{ payments: { nodes: { id: string }[] } }>(OPEN, { f: { duplicate: true } })).data.payments.nodes

it('a customer who pays two links of one order is found at once, live, and in the list until it is refunded', async () => {
  const stream = await network.follow(FEED)
  await stream.until(isCaughtUp)
  const first = await paid({ reference: 'order-twice' })
  const second = await paid({ reference: 'order-twice' })
  await stream.until(({ event }) => event?.kind === 'DUPLICATE_PAYMENT_FOUND')
  expect(await duplicateOf(second)).toMatchObject({
    reason: 'SAME_REFERENCE',
    other: { id: first },
    resolvedAt: null,
    resolution: null,
  })
  expect(await duplicateOf(first)).toBeNull()
  expect(await open()).toEqual([{ id: second }])

  const refund = `mutation R($input: RefundPaymentInput!) { refundPayment(input: $input) { __typename } }`
  const input = { idempotencyKey: newKey(), paymentId: second, description: 'Paid twice' }
  expect((await network.ask(refund, { input })).data).toEqual({ refundPayment: { __typename: 'RefundPaymentSuccess' } })
  await stream.until(({ event }) => event?.kind === 'DUPLICATE_PAYMENT_RESOLVED')
  expect(await duplicateOf(second)).toMatchObject({ resolution: 'REFUNDED', resolvedAt: expect.any(String) as string })
  expect(await open()).toEqual([])
  await stream.end()
})

it('both are kept by an operator who says so, as often as it is said', async () => {
  await paid({ reference: 'order-kept' })
  const second = await paid({ reference: 'order-kept' })
  const dismissed = async (paymentId: string) => (await network.ask(DISMISS, { input: { paymentId } })).data
  const kept = {
    dismissDuplicatePayment: {
      __typename: 'DismissDuplicatePaymentSuccess',
      payment: { duplicate: { resolution: 'DISMISSED' } },
    },
  }
  expect(await dismissed(second)).toEqual(kept)
  expect(await dismissed(second)).toEqual(kept)
  expect(await dismissed('nobody')).toEqual({
    dismissDuplicatePayment: { __typename: 'PaymentsNotFoundError', code: 'NOT_FOUND' },
  })
  expect(await open()).toEqual([])
})

it('instalments are no duplicates where they are announced', async () => {
  await paid({ reference: 'order-parts', severalPayments: true })
  await paid({ reference: 'order-parts' })
  expect(await open()).toEqual([])
})

it('nothing is compared where it is turned off', async () => {
  await network.restart(undefined, { DUPLICATE_PAYMENTS: 'off' })
  onTestFinished(() => network.restart())
  await paid({ reference: 'donation' })
  expect(await duplicateOf(await paid({ reference: 'donation' }))).toBeNull()
})
