import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { newKey } from '../support/inputs.ts'
import { asked } from '../support/mutations.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { BY_HAND, createPayin, readPayment } from '../support/payins.ts'
import { ends, OF_PAYIN, paidLink, paidPayin, refund } from '../support/refunds.ts'

let network: Network
beforeAll(async () => void (network = await startNetwork({ sandbox: BY_HAND })))
afterEach(() => network.sandbox.control.clearFaults())
afterAll(() => network.close())

const TEN_DAYS_MS = 10 * 24 * 3_600_000

const refunds = (path: string) => asked(network, 'POST', path)

// promise(commands): A refund without a response is not confused with another refund of the same payment.
describe.each([
  ['a paid link', paidLink],
  ['a direct payin', paidPayin],
])('the refund of %s', (_what, paid) => {
  it('of everything needs no amount, and lapses ten days later', async () => {
    const { id, path, whole } = await paid(network)
    const before = refunds(path)
    const askedAt = Date.now()
    const result = await refund(network, id)
    expect(result).toMatchObject({
      __typename: 'RefundPaymentSuccess',
      replayed: false,
      payment: { id, status: 'RETURN_PENDING', phase: 'REFUNDING' },
    })
    const requestedAt = Date.parse(String(result['refundExpiresAt'])) - TEN_DAYS_MS
    expect(requestedAt).toBeGreaterThanOrEqual(askedAt)
    expect(requestedAt).toBeLessThanOrEqual(Date.now())
    expect(refunds(path) - before).toBe(1)
    expect(await ends(network, id, 'return_received')).toMatchObject({
      phase: 'REFUNDED',
      refunded: { value: whole },
      refundableAmount: null,
    })
    expect(await refund(network, id)).toMatchObject({
      __typename: 'PaymentsStateConflictError',
      statusRaw: 'return_received',
    })
    expect(refunds(path) - before).toBe(1)
  })

  it('of a part leaves the rest, which is all that can follow', async () => {
    const { id, path, currency, whole, part } = await paid(network)
    const before = refunds(path)
    await refund(network, id, { amount: { value: '25', currency } })
    const partly = await ends(network, id, 'partially_refunded')
    expect(partly).toMatchObject({ phase: 'SUCCEEDED', refunded: { value: part } })
    expect(await refund(network, id, { amount: { value: '999999', currency } })).toMatchObject({
      problems: [{ path: ['amount', 'value'], message: `must be at most ${partly?.refundableAmount?.value}` }],
    })
    expect(await refund(network, id)).toMatchObject({ payment: { status: 'RETURN_PENDING' } })
    expect(await ends(network, id, 'return_received')).toMatchObject({ phase: 'REFUNDED', refunded: { value: whole } })
    expect(refunds(path) - before).toBe(2)
  })

  it.each<[string[], Record<string, unknown>]>([
    [['amount', 'value'], { amount: { value: '25001', currency: 'own' } }],
    [['amount', 'currency'], { amount: { value: '10', currency: 'USD' } }],
    [['description'], { description: '  four  ' }],
  ])('is refused for what is wrong at %j, %j, without a call', async (path, over) => {
    const { id, path: route, currency } = await paid(network)
    const before = refunds(route)
    const given = over['amount'] as { value: string; currency: string } | undefined
    const amount = given?.currency === 'own' ? { ...given, currency } : given
    expect(await refund(network, id, amount === undefined ? over : { amount })).toMatchObject({
      __typename: 'PaymentsInvalidInputError',
      problems: [{ path }],
    })
    expect(refunds(route)).toBe(before)
  })

  it('that was made and not answered is settled by a read, and never sent again', async () => {
    const { id, path } = await paid(network)
    const before = refunds(path)
    const input = { idempotencyKey: newKey() }
    network.sandbox.control.addFault({ method: 'POST', path, answer: 'drop-after' })
    expect(await refund(network, id, input)).toMatchObject({ __typename: 'PaymentsOutcomeUnknownError' })
    expect(await refund(network, id, input)).toMatchObject({
      replayed: true,
      payment: { id, status: 'RETURN_PENDING' },
    })
    expect(refunds(path) - before).toBe(1)
  })

  it('that was not answered, and of which there is no trace, is never sent again', async () => {
    const { id, path } = await paid(network)
    const before = refunds(path)
    const input = { idempotencyKey: newKey() }
    network.sandbox.control.addFault({ method: 'POST', path, answer: 'reset' })
    for (let attempt = 0; attempt < 3; attempt++)
      expect(await refund(network, id, input)).toMatchObject({ __typename: 'PaymentsOutcomeUnknownError' })
    expect(refunds(path) - before).toBe(1)
    expect(await readPayment(network, id)).toMatchObject({ status: 'RECEIVED' })
  })

  it('that never arrived is not taken for one that somebody made elsewhere', async () => {
    const { id, path } = await paid(network)
    const lost = { idempotencyKey: newKey() }
    network.sandbox.control.addFault({ method: 'POST', path, answer: 'reset' })
    expect(await refund(network, id, lost)).toMatchObject({ __typename: 'PaymentsOutcomeUnknownError' })
    await network.sandbox.control.setStatus(id, 'return_pending')
    expect(await refund(network, id, lost)).toMatchObject({ __typename: 'PaymentsOutcomeUnknownError' })
    expect(await readPayment(network, id)).toMatchObject({ status: 'RETURN_PENDING' })
  })

  it('of a second part that was not answered is settled by its reason and the total', async () => {
    const { id, path, currency } = await paid(network)
    await network.sandbox.control.setStatus(id, 'partially_refunded')
    const input = { idempotencyKey: newKey(), amount: { value: '30', currency }, description: 'A second part' }
    network.sandbox.control.addFault({ method: 'POST', path, answer: 'drop-after' })
    expect(await refund(network, id, input)).toMatchObject({ __typename: 'PaymentsOutcomeUnknownError' })
    await ends(network, id, 'partially_refunded')
    expect(await refund(network, id, input)).toMatchObject({
      replayed: true,
      payment: { status: 'PARTIALLY_REFUNDED' },
    })
  })

  it('that never arrived is not taken for another one of the same payment', async () => {
    const { id, path } = await paid(network)
    const lost = { idempotencyKey: newKey() }
    network.sandbox.control.addFault({ method: 'POST', path, answer: 'reset' })
    expect(await refund(network, id, lost)).toMatchObject({ __typename: 'PaymentsOutcomeUnknownError' })
    expect(await refund(network, id)).toMatchObject({ __typename: 'RefundPaymentSuccess' })
    expect(await refund(network, id, lost)).toMatchObject({ __typename: 'PaymentsOutcomeUnknownError' })
  })

  it('that never arrived does not take the place of another that was not answered either', async () => {
    const { id, path, currency } = await paid(network)
    const [lost, done] = [newKey(), newKey()].map((idempotencyKey) => ({
      idempotencyKey,
      amount: { value: '10', currency },
    }))
    network.sandbox.control.addFault({ method: 'POST', path, answer: 'reset' })
    expect(await refund(network, id, lost)).toMatchObject({ __typename: 'PaymentsOutcomeUnknownError' })
    network.sandbox.control.addFault({ method: 'POST', path, answer: 'drop-after' })
    expect(await refund(network, id, done)).toMatchObject({ __typename: 'PaymentsOutcomeUnknownError' })
    await network.sandbox.settle()
    expect(await readPayment(network, id)).toMatchObject({ status: 'RETURN_PENDING' })
    for (const input of [lost, done, lost])
      expect(await refund(network, id, input)).toMatchObject({ __typename: 'PaymentsOutcomeUnknownError' })
  })

  it.each([
    [422, { errors: { refund_amount: 'is more than what is left' } }, 'PaymentsUpstreamRejectedError'],
    [401, { errors: { code: 'REQUIRE_LOGIN' } }, 'PaymentsCredentialsRejectedError'],
    [429, undefined, 'PaymentsUpstreamUnavailableError'],
  ])('that the payments API refuses with %i is no refund', async (status, body, __typename) => {
    const { id, path } = await paid(network)
    network.sandbox.control.addFault({ method: 'POST', path, answer: { status, body } })
    expect(await refund(network, id)).toMatchObject({ __typename })
    expect(await readPayment(network, id)).toMatchObject({ status: 'RECEIVED' })
    expect(await refund(network, id)).toMatchObject({ __typename: 'RefundPaymentSuccess' })
  })
})

describe('a refund', () => {
  it('of a payment that nobody knows is PaymentsNotFoundError', async () => {
    expect(await refund(network, 'no-such-payment')).toMatchObject({
      __typename: 'PaymentsNotFoundError',
      code: 'NOT_FOUND',
    })
  })

  it.each(['pending', 'failed', 'expired'] as const)(
    'of a payment that is %s is PaymentsStateConflictError',
    async (status) => {
      const { id } = await createPayin(network)
      if (status !== 'pending') await network.sandbox.control.setStatus(id, status)
      const before = refunds(OF_PAYIN)
      expect(await refund(network, id)).toMatchObject({ __typename: 'PaymentsStateConflictError', statusRaw: status })
      expect(refunds(OF_PAYIN)).toBe(before)
    },
  )

  it('of mobile money is PaymentsNotSupportedError, without a call', async () => {
    const { id } = await createPayin(network, {
      amount: { value: '500', currency: 'KES' },
      methodCode: 'ke_mobile_money_kes',
      methodFields: { phone: '+254712345678' },
    })
    await network.sandbox.control.setStatus(id, 'received')
    const before = refunds(OF_PAYIN)
    expect(await refund(network, id)).toMatchObject({ __typename: 'PaymentsNotSupportedError', code: 'NOT_SUPPORTED' })
    expect(refunds(OF_PAYIN)).toBe(before)
  })

  it.each([
    ['return_rejected', BY_HAND.paceMs],
    ['return_expired', TEN_DAYS_MS],
  ] as const)('that ends %s is told, and may be asked for again', async (description, milliseconds) => {
    const { id } = await paidLink(network)
    await refund(network, id, { description })
    expect(await ends(network, id, description, milliseconds / 1000)).toMatchObject({ phase: 'SUCCEEDED' })
    expect(await refund(network, id)).toMatchObject({ payment: { status: 'RETURN_PENDING' } })
  })
})
