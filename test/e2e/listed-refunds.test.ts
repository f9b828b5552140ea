import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { newKey } from '../support/inputs.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { BY_HAND } from '../support/payins.ts'
import { ends, paidLink, paidPayin, refund } from '../support/refunds.ts'
import { isCaughtUp } from '../support/streams.ts'

let network: Network
beforeAll(async () => void (network = await startNetwork({ sandbox: BY_HAND })))
afterEach(() => network.sandbox.control.clearFaults())
afterAll(() => network.close())

const REFUNDS = `query R($id: ID!) { payment(id: $id) { refunded { value } refunds {
  id state amount { value } totalAmount { value } requestedHere requestedAt settledAt expiresAt idempotencyKey description payment { id }
} events(first: 100) { nodes { toStatus refund { refundId state amount { value } } } } } }`

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
  it('are those of ours, each with its key, reason, total and end, and in the events', async () => {
    const { id, currency, whole } = await paid(network)
    expect((await shown(id)).refunds).toEqual([])
    const part = { idempotencyKey: newKey(), amount: { value: '25', currency }, description: 'One was broken' }
    const amount = { value: currency === 'KRW' ? '25' : '25.00' }
    await refund(network, id, part)
    expect((await shown(id)).refunds).toMatchObject([{ state: 'PENDING', amount, settledAt: null }])
    const [open] = (await shown(id)).refunds
    expect(Number((open?.['totalAmount'] as RefundNode['amount'])?.value)).toBe(Number(whole))
    expect(Date.parse(String(open?.['expiresAt'])) - Date.parse(String(open?.['requestedAt']))).toBe(864_000_000)
    await ends(network, id, 'partially_refunded')
    const rest = { idempotencyKey: newKey(), description: 'The others, too' }
    await refund(network, id, rest)
    await ends(network, id, 'return_received')
    const { refunds: all, events } = await shown(id)
    const ours = { state: 'SETTLED', requestedHere: true, expiresAt: null, payment: { id } }
    expect(all).toMatchObject([
      {
        id: `${id}-1`,
        ...ours,
        amount,
        idempotencyKey: part.idempotencyKey,
        description: 'One was broken',
      },
      { id: `${id}-2`, ...ours, idempotencyKey: rest.idempotencyKey, description: 'The others, too' },
    ])
    for (const { requestedAt, settledAt } of all)
      expect(Date.parse(String(settledAt))).toBeGreaterThanOrEqual(Date.parse(String(requestedAt)))
    const told = events.nodes.flatMap((node) => (node.refund === null ? [] : [node.refund.state]))
    expect(new Set(told)).toEqual(new Set(['PENDING', 'SETTLED']))
  })

  it('are in the events of a socket, as they were after each', async () => {
    const { id, currency } = await paid(network)
    const updates = `subscription U($id: ID!) { paymentUpdates(id: $id) {
      kind event { toStatus refund { refundId state amount { value } } after { status refunds { refundId state } } }
    } }`
    const stream = await network.follow(updates, { id })
    await stream.until(isCaughtUp)
    await refund(network, id, { amount: { value: '25', currency } })
    const amount = { value: currency === 'KRW' ? '25' : '25.00' }
    const requested = { refundId: `${id}-1`, state: 'PENDING' }
    expect((await stream.until(({ event }) => event?.toStatus === 'return_pending')).at(-1)).toMatchObject({
      event: { refund: { ...requested, amount }, after: { status: 'RETURN_PENDING', refunds: [requested] } },
    })
    await network.sandbox.control.advance(BY_HAND.paceMs / 1000)
    const settled = { ...requested, state: 'SETTLED' }
    expect((await stream.until(({ event }) => event?.toStatus === 'partially_refunded')).at(-1)).toMatchObject({
      event: { refund: { ...settled, amount }, after: { status: 'PARTIALLY_REFUNDED', refunds: [settled] } },
    })
    await stream.end()
  })

  it('are also those that were made elsewhere, with the reason that is reported, and without a key', async () => {
    const { id } = await paid(network)
    await network.sandbox.control.setStatus(id, 'partially_refunded')
    const description = 'Set by the control endpoint'
    const elsewhere = { state: 'SETTLED', requestedHere: false, idempotencyKey: null, description }
    await expect.poll(async () => (await shown(id)).refunds).toMatchObject([elsewhere])
  })

  it('have one for a request that was answered at once, not answered, or rejected', async () => {
    const { id, path } = await paid(network)
    const input = { idempotencyKey: newKey(), description: 'return_rejected' }
    network.sandbox.control.addFault({ method: 'POST', path, answer: 'drop-after' })
    expect(await refund(network, id, input)).toMatchObject({ __typename: 'PaymentsOutcomeUnknownError' })
    expect(await refund(network, id, input)).toMatchObject({ replayed: true })
    await ends(network, id, 'return_rejected')
    const { idempotencyKey, description } = input
    expect((await shown(id)).refunds).toMatchObject([
      { state: 'REJECTED', requestedHere: true, idempotencyKey, description },
    ])
  })
})
