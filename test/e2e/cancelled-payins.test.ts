import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { newKey } from '../support/inputs.ts'
import { asked, mutate } from '../support/mutations.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { BY_HAND, createPayin, readPayment } from '../support/payins.ts'
import { paidLink } from '../support/refunds.ts'

let network: Network
beforeAll(async () => void (network = await startNetwork({ sandbox: BY_HAND })))
afterEach(() => network.sandbox.control.clearFaults())
afterAll(() => network.close())

const PATH = '/v2/payins/cancel'
const cancel = (paymentId: string, idempotencyKey = newKey()) =>
  mutate(network, 'cancelPayin', { idempotencyKey, paymentId })
const sent = () => asked(network, 'POST', PATH)

describe('a pending payin', () => {
  it('is cancelled once, and expires', async () => {
    const { id } = await createPayin(network)
    const [before, key] = [sent(), newKey()]
    expect(await cancel(id, key)).toMatchObject({ replayed: false, payment: { id, status: 'EXPIRED' } })
    expect(await cancel(id, key)).toMatchObject({ replayed: true, payment: { id, status: 'EXPIRED' } })
    expect(await cancel(id)).toMatchObject({ __typename: 'PaymentsStateConflictError', statusRaw: 'expired' })
    expect(sent() - before).toBe(1)
    expect(await readPayment(network, id)).toMatchObject({ status: 'EXPIRED', provisional: false })
  })
})

it('nothing else is cancelled, and nothing is sent', async () => {
  const before = sent()
  const { id: paid } = await createPayin(network)
  await network.sandbox.control.setStatus(paid, 'received')
  await network.sandbox.settle()
  const prompted = await createPayin(network, {
    amount: { value: '3000', currency: 'KES' },
    methodCode: 'ke_mobile_money_kes',
    methodFields: { phone: '+254712345678' },
  })
  const link = await paidLink(network)
  expect(await cancel(paid)).toMatchObject({ __typename: 'PaymentsStateConflictError', statusRaw: 'received' })
  expect(await cancel(prompted.id)).toMatchObject({ __typename: 'PaymentsNotSupportedError' })
  expect(await cancel(link.id)).toMatchObject({ __typename: 'PaymentsNotSupportedError' })
  expect(await cancel('NOTHING')).toMatchObject({ __typename: 'PaymentsNotFoundError' })
  expect(await cancel(paid, '')).toMatchObject({ __typename: 'PaymentsInvalidInputError' })
  expect(sent()).toBe(before)
})
