import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { newKey } from '../support/inputs.ts'
import { asked, mutate, type PaymentNode } from '../support/mutations.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink } from '../support/operations.ts'
import { BY_HAND, createPayin, readPayment } from '../support/payins.ts'
import { historyOf } from '../support/payments.ts'
import { isCaughtUp, PAYMENT_UPDATES } from '../support/streams.ts'

let network: Network
beforeAll(async () => void (network = await startNetwork({ sandbox: BY_HAND })))
afterEach(() => network.sandbox.control.clearFaults())
afterAll(() => network.close())

const OF_LINK = '/v3/payin_links/refund'
const OF_PAYIN = '/v2/payins/refund'
const TEN_DAYS_MS = 10 * 24 * 3_600_000

/** `whole` is its amount, `part` is 25 as the payments API records a refund of it. */
type Paid = {
  readonly id: string
  readonly path: string
  readonly currency: string
  readonly whole: string
  readonly part: string
}

/** Creates a link of 125.50 AUD whose payment was received. */
async function paidLink(): Promise<Paid> {
  const link = await createLink(network)
  await network.sandbox.control.setStatus(link.id, 'received')
  const { payment } = await historyOf(network, link.id)
  return { id: payment?.id ?? '', path: OF_LINK, currency: 'AUD', whole: '125.50', part: '25.00' }
}

/** Creates a direct payin of 25000 KRW whose payment was received. */
async function paidPayin(): Promise<Paid> {
  const { id } = await createPayin(network)
  await network.sandbox.control.setStatus(id, 'received')
  return { id, path: OF_PAYIN, currency: 'KRW', whole: '25000.0', part: '25.0' }
}

const refund = (paymentId: string, over: Record<string, unknown> = {}) =>
  mutate(network, 'refundPayment', { idempotencyKey: newKey(), paymentId, description: 'Changed their mind', ...over })
const refunds = (path: string) => asked(network, 'POST', path)

/** Advances the payments API's clock, and waits for the resulting status, which a read may have to confirm. */
async function ends(id: string, toStatus: string, seconds = BY_HAND.paceMs / 1000): Promise<PaymentNode | null> {
  const stream = await network.follow(PAYMENT_UPDATES, { id })
  await stream.until(isCaughtUp)
  await network.sandbox.control.advance(seconds)
  await stream.until(({ event }) => event?.toStatus === toStatus)
  await stream.end()
  return readPayment(network, id)
}

describe.each([
  ['a paid link', paidLink],
  ['a direct payin', paidPayin],
])('the refund of %s', (_what, paid) => {
  it('of everything needs no amount, and lapses ten days later', async () => {
    const { id, path, whole } = await paid()
    const before = refunds(path)
    const askedAt = Date.now()
    const result = await refund(id)
    expect(result).toMatchObject({
      __typename: 'RefundPaymentSuccess',
      replayed: false,
      payment: { id, status: 'RETURN_PENDING', phase: 'REFUNDING' },
    })
    const requestedAt = Date.parse(String(result['refundExpiresAt'])) - TEN_DAYS_MS
    expect(requestedAt).toBeGreaterThanOrEqual(askedAt)
    expect(requestedAt).toBeLessThanOrEqual(Date.now())
    expect(refunds(path) - before).toBe(1)
    expect(await ends(id, 'return_received')).toMatchObject({ phase: 'REFUNDED', refunded: { value: whole } })
    expect(await refund(id)).toMatchObject({ __typename: 'StateConflictError', statusRaw: 'return_received' })
    expect(refunds(path) - before).toBe(1)
  })

  it('of a part leaves the rest, which is all that can follow', async () => {
    const { id, path, currency, whole, part } = await paid()
    const before = refunds(path)
    await refund(id, { amount: { value: '25', currency } })
    expect(await ends(id, 'partially_refunded')).toMatchObject({ phase: 'SUCCEEDED', refunded: { value: part } })
    expect(await refund(id, { amount: { value: '999999', currency } })).toMatchObject({
      problems: [{ path: ['amount', 'value'] }],
    })
    expect(await refund(id)).toMatchObject({ payment: { status: 'RETURN_PENDING' } })
    expect(await ends(id, 'return_received')).toMatchObject({ phase: 'REFUNDED', refunded: { value: whole } })
    expect(refunds(path) - before).toBe(2)
  })

  it.each<[string[], Record<string, unknown>]>([
    [['amount', 'value'], { amount: { value: '0', currency: 'own' } }],
    [['amount', 'value'], { amount: { value: '25001', currency: 'own' } }],
    [['amount', 'currency'], { amount: { value: '10', currency: 'USD' } }],
    [['description'], { description: 'four' }],
    [['description'], { description: '' }],
    [['description'], { description: '  four  ' }],
  ])('is refused for what is wrong at %j, %j, without a call', async (path, over) => {
    const { id, path: route, currency } = await paid()
    const before = refunds(route)
    const given = over['amount'] as { value: string; currency: string } | undefined
    const amount = given?.currency === 'own' ? { ...given, currency } : given
    expect(await refund(id, amount === undefined ? over : { amount })).toMatchObject({
      __typename: 'InvalidInputError',
      problems: [{ path }],
    })
    expect(refunds(route)).toBe(before)
  })

  it.each(['return_pending', 'return_received', 'in_dispute', 'dispute_lost'] as const)(
    'is refused while the payment is %s',
    async (status) => {
      const { id, path } = await paid()
      await network.sandbox.control.setStatus(id, status, { silent: true })
      await network.ask('mutation R($id: ID!) { refreshPayment(id: $id) { __typename } }', { id })
      const before = refunds(path)
      expect(await refund(id)).toMatchObject({ __typename: 'StateConflictError', statusRaw: status })
      expect(refunds(path)).toBe(before)
    },
  )

  it('is asked for once with one key, however often it comes', async () => {
    const { id, path, currency } = await paid()
    const before = refunds(path)
    const input = { idempotencyKey: newKey(), amount: { value: '10', currency } }
    const results = await Promise.all(Array.from({ length: 20 }, () => refund(id, input)))
    expect(results.filter(({ replayed }) => replayed === false)).toHaveLength(1)
    expect(await refund(id, input)).toMatchObject({ replayed: true })
    const other = await refund(id, { ...input, amount: { value: '11', currency } })
    expect(other).toMatchObject({ __typename: 'IdempotencyConflictError' })
    expect(refunds(path) - before).toBe(1)
  })

  it('that was made and not answered is settled by a read, and never sent again', async () => {
    const { id, path } = await paid()
    const before = refunds(path)
    const input = { idempotencyKey: newKey() }
    network.sandbox.control.addFault({ method: 'POST', path, answer: 'drop-after' })
    expect(await refund(id, input)).toMatchObject({ __typename: 'OutcomeUnknownError' })
    expect(await refund(id, input)).toMatchObject({ replayed: true, payment: { id, status: 'RETURN_PENDING' } })
    expect(refunds(path) - before).toBe(1)
  })

  it('that was not answered, and of which there is no trace, is never sent again', async () => {
    const { id, path } = await paid()
    const before = refunds(path)
    const input = { idempotencyKey: newKey() }
    network.sandbox.control.addFault({ method: 'POST', path, answer: 'reset' })
    for (let attempt = 0; attempt < 3; attempt++)
      expect(await refund(id, input)).toMatchObject({ __typename: 'OutcomeUnknownError' })
    expect(refunds(path) - before).toBe(1)
    expect(await readPayment(network, id)).toMatchObject({ status: 'RECEIVED' })
  })

  it('that never arrived is not taken for one that somebody made elsewhere', async () => {
    const { id, path } = await paid()
    const lost = { idempotencyKey: newKey() }
    network.sandbox.control.addFault({ method: 'POST', path, answer: 'reset' })
    expect(await refund(id, lost)).toMatchObject({ __typename: 'OutcomeUnknownError' })
    await network.sandbox.control.setStatus(id, 'return_pending')
    expect(await refund(id, lost)).toMatchObject({ __typename: 'OutcomeUnknownError' })
    expect(await readPayment(network, id)).toMatchObject({ status: 'RETURN_PENDING' })
  })

  it('of a second part that was not answered is settled by its reason and the total', async () => {
    const { id, path, currency } = await paid()
    await network.sandbox.control.setStatus(id, 'partially_refunded')
    const input = { idempotencyKey: newKey(), amount: { value: '30', currency }, description: 'A second part' }
    network.sandbox.control.addFault({ method: 'POST', path, answer: 'drop-after' })
    expect(await refund(id, input)).toMatchObject({ __typename: 'OutcomeUnknownError' })
    await ends(id, 'partially_refunded')
    expect(await refund(id, input)).toMatchObject({ replayed: true, payment: { status: 'PARTIALLY_REFUNDED' } })
  })

  it('that never arrived is not taken for another one of the same payment', async () => {
    const { id, path } = await paid()
    const lost = { idempotencyKey: newKey() }
    network.sandbox.control.addFault({ method: 'POST', path, answer: 'reset' })
    expect(await refund(id, lost)).toMatchObject({ __typename: 'OutcomeUnknownError' })
    expect(await refund(id)).toMatchObject({ __typename: 'RefundPaymentSuccess' })
    expect(await refund(id, lost)).toMatchObject({ __typename: 'OutcomeUnknownError' })
  })

  it('that never arrived does not take the place of another that was not answered either', async () => {
    const { id, path, currency } = await paid()
    const [lost, done] = [newKey(), newKey()].map((idempotencyKey) => ({
      idempotencyKey,
      amount: { value: '10', currency },
    }))
    network.sandbox.control.addFault({ method: 'POST', path, answer: 'reset' })
    expect(await refund(id, lost)).toMatchObject({ __typename: 'OutcomeUnknownError' })
    network.sandbox.control.addFault({ method: 'POST', path, answer: 'drop-after' })
    expect(await refund(id, done)).toMatchObject({ __typename: 'OutcomeUnknownError' })
    await network.sandbox.settle()
    expect(await readPayment(network, id)).toMatchObject({ status: 'RETURN_PENDING' })
    for (const input of [lost, done, lost])
      expect(await refund(id, input)).toMatchObject({ __typename: 'OutcomeUnknownError' })
  })

  it.each([
    [422, { errors: { refund_amount: 'is more than what is left' } }, 'UpstreamRejectedError'],
    [401, { errors: { code: 'REQUIRE_LOGIN' } }, 'CredentialsRejectedError'],
    [429, undefined, 'UpstreamUnavailableError'],
  ])('that the payments API refuses with %i is no refund', async (status, body, __typename) => {
    const { id, path } = await paid()
    network.sandbox.control.addFault({ method: 'POST', path, answer: { status, body } })
    expect(await refund(id)).toMatchObject({ __typename })
    expect(await readPayment(network, id)).toMatchObject({ status: 'RECEIVED' })
    expect(await refund(id)).toMatchObject({ __typename: 'RefundPaymentSuccess' })
  })
})

const REFUNDS = `query R($id: ID!) { payment(id: $id) { refunded { value } refunds {
  id state amount { value } requestedHere requestedAt settledAt idempotencyKey reason payment { id }
} events(first: 100) { nodes { toStatus refund { id state amount { value } } } } } }`

type RefundNode = { readonly state: string; readonly amount: { readonly value: string } | null }
type Shown = {
  readonly refunds: readonly (RefundNode & Readonly<Record<string, unknown>>)[]
  readonly events: { readonly nodes: readonly { readonly refund: RefundNode | null }[] }
}

const shown = async (id: string): Promise<Shown> =>
  (await network.ask<{ payment: Shown }>(REFUNDS, { id })).data.payment

describe.each([
  ['a paid link', paidLink],
  ['a direct payin', paidPayin],
])('the refunds of %s', (_what, paid) => {
  it('are those of ours, each with its key, reason and end, and in the events', async () => {
    const { id, currency } = await paid()
    expect((await shown(id)).refunds).toEqual([])
    const part = { idempotencyKey: newKey(), amount: { value: '25', currency }, description: 'One was broken' }
    const amount = { value: currency === 'KRW' ? '25' : '25.00' }
    await refund(id, part)
    expect((await shown(id)).refunds).toMatchObject([{ state: 'PENDING', amount, settledAt: null }])
    await ends(id, 'partially_refunded')
    const rest = { idempotencyKey: newKey(), description: 'The others, too' }
    await refund(id, rest)
    await ends(id, 'return_received')
    const { refunds: all, events } = await shown(id)
    const ours = { state: 'SETTLED', requestedHere: true, payment: { id } }
    expect(all).toMatchObject([
      {
        id: `${id}-1`,
        ...ours,
        amount,
        idempotencyKey: part.idempotencyKey,
        reason: 'One was broken',
      },
      { id: `${id}-2`, ...ours, idempotencyKey: rest.idempotencyKey, reason: 'The others, too' },
    ])
    for (const { requestedAt, settledAt } of all)
      expect(Date.parse(String(settledAt))).toBeGreaterThanOrEqual(Date.parse(String(requestedAt)))
    const told = events.nodes.flatMap((node) => (node.refund === null ? [] : [node.refund.state]))
    expect(new Set(told)).toEqual(new Set(['PENDING', 'SETTLED']))
  })

  it('have the sum that the payments API tells as refunded', async () => {
    const { id, currency, whole } = await paid()
    await refund(id, { amount: { value: '25', currency } })
    await ends(id, 'partially_refunded')
    await refund(id)
    await ends(id, 'return_received')
    const sum = (await shown(id)).refunds.reduce((total, { amount }) => total + Number(amount?.value), 0)
    expect(sum).toBe(Number(whole))
  })

  it('are also those that were made elsewhere, without a key or a reason', async () => {
    const { id } = await paid()
    await network.sandbox.control.setStatus(id, 'partially_refunded')
    const elsewhere = { state: 'SETTLED', requestedHere: false, idempotencyKey: null, reason: null }
    await expect.poll(async () => (await shown(id)).refunds).toMatchObject([elsewhere])
  })

  it('have one for a request that was answered at once, not answered, or rejected', async () => {
    const { id, path } = await paid()
    const input = { idempotencyKey: newKey(), description: 'return_rejected' }
    network.sandbox.control.addFault({ method: 'POST', path, answer: 'drop-after' })
    expect(await refund(id, input)).toMatchObject({ __typename: 'OutcomeUnknownError' })
    expect(await refund(id, input)).toMatchObject({ replayed: true })
    await ends(id, 'return_rejected')
    const { idempotencyKey, description: reason } = input
    expect((await shown(id)).refunds).toMatchObject([
      { state: 'REJECTED', requestedHere: true, idempotencyKey, reason },
    ])
  })
})

describe('a refund', () => {
  it('of a payment that nobody knows is NotFoundError', async () => {
    expect(await refund('no-such-payment')).toMatchObject({ __typename: 'NotFoundError', code: 'NOT_FOUND' })
  })

  it.each(['pending', 'failed', 'expired'] as const)(
    'of a payment that is %s is StateConflictError',
    async (status) => {
      const { id } = await createPayin(network)
      if (status !== 'pending') await network.sandbox.control.setStatus(id, status)
      const before = refunds(OF_PAYIN)
      expect(await refund(id)).toMatchObject({ __typename: 'StateConflictError', statusRaw: status })
      expect(refunds(OF_PAYIN)).toBe(before)
    },
  )

  it('of mobile money is NotSupportedError, without a call', async () => {
    const { id } = await createPayin(network, {
      amount: { value: '500', currency: 'KES' },
      methodCode: 'ke_mobile_money_kes',
      methodFields: { phone: '+254712345678' },
    })
    await network.sandbox.control.setStatus(id, 'received')
    const before = refunds(OF_PAYIN)
    expect(await refund(id)).toMatchObject({ __typename: 'NotSupportedError', code: 'NOT_SUPPORTED' })
    expect(refunds(OF_PAYIN)).toBe(before)
  })

  it.each([
    ['return_rejected', BY_HAND.paceMs],
    ['return_expired', TEN_DAYS_MS],
  ] as const)('that ends %s is told, and may be asked for again', async (description, milliseconds) => {
    const { id } = await paidLink()
    await refund(id, { description })
    expect(await ends(id, description, milliseconds / 1000)).toMatchObject({ phase: 'SUCCEEDED' })
    expect(await refund(id)).toMatchObject({ payment: { status: 'RETURN_PENDING' } })
  })
})
