import { describe, expect, it } from 'vitest'
import { decideGatewayCallback, decideGatewayCreation } from '../../../../src/domain/gateway/gateway-decisions.ts'
import { type GatewayPayment, isGatewayKind, isGatewayStream } from '../../../../src/domain/gateway/gateway-payment.ts'
import { factsOf, PAYMENT_STATUSES, type PaymentStatus } from '../../../../src/domain/payments/payment-report.ts'
import { decidedGateway, gatewayCallback } from '../gateway-payments.ts'

/** Returns the payment after its creation and these callbacks. */
function given(...statuses: readonly string[]): GatewayPayment {
  let state = decidedGateway(null, decideGatewayCreation(null, gatewayCallback('created')))
  for (const status of statuses)
    state = decidedGateway(state, decideGatewayCallback(state, gatewayCallback(status), false))
  if (state === null) throw new Error('A gateway payment was created.')
  return state
}

const decide = (state: GatewayPayment, status: string, repeat = false) =>
  decideGatewayCallback(state, gatewayCallback(status), repeat)

describe('a gateway payment', () => {
  it('is created with what was requested', () => {
    expect(given()).toEqual({
      id: '46345',
      ref: 'gate',
      streamId: 'gateway:46345',
      site: 'au',
      reference: 'order-1',
      amount: '99.95',
      currency: 'AUD',
      description: 'Two tickets',
      version: 1,
      statusRaw: 'created',
      status: 'created',
      provisional: false,
      contradictedBy: null,
      overrulesOperator: false,
      createdAt: '2030-01-02T03:04:05.678Z',
      updatedAt: '2030-01-02T03:04:05.678Z',
    })
  })

  it.each([
    [[], 'pending'],
    [[], 'failed'],
    [['pending'], 'authorised'],
    [['pending', 'waiting'], 'received'],
    [['failed'], 'received'],
    [['received'], 'return_pending'],
    [['received'], 'in_dispute'],
    [['return_pending'], 'return_received'],
    [['partially_refunded'], 'return_received'],
  ])('after %j moves to %s', (before, status) => {
    const state = given(...before)
    expect(decide(state, status)).toMatchObject({
      disposition: 'APPLIED',
      change: { kind: 'GATEWAY_PAYMENT_STATUS_CHANGED', status, statusRaw: status },
      provisional: false,
      confirm: false,
    })
  })

  it.each([
    [['waiting'], 'pending'],
    [['waiting'], 'authorised'],
    [['received'], 'pending'],
    [['received'], 'failed'],
    [['received'], 'expired'],
    [['return_pending'], 'received'],
    [['return_received'], 'return_pending'],
    [['dispute_lost'], 'in_dispute'],
    [['received'], 'created'],
    [['quite_new'], 'created'],
  ])('after %j is not led back by %s', (before, status) => {
    const state = given(...before)
    expect(decide(state, status)).toEqual({ disposition: 'STALE', change: null, provisional: null, confirm: false })
  })

  it.each([
    [['failed'], 'pending'],
    [['failed'], 'expired'],
    [['in_dispute'], 'received'],
    [['return_rejected'], 'return_pending'],
    [['return_received'], 'dispute_lost'],
    [['return_received'], 'return_rejected'],
    [['partially_refunded'], 'return_expired'],
    [['received'], 'quite_new'],
    [['return_received'], 'quite_new'],
    [['quite_new'], 'pending'],
    [['quite_new'], 'another_one'],
  ])('after %j keeps its status at %s, and is provisional', (before, status) => {
    const state = given(...before)
    const doubt = decide(state, status)
    expect(doubt).toMatchObject({
      disposition: 'DOUBTFUL',
      change: { kind: 'GATEWAY_PAYMENT_DETAILS_CHANGED', statusRaw: state.statusRaw, contradictedBy: status },
      provisional: true,
      confirm: false,
    })
    const doubted = decidedGateway(state, doubt)
    expect(doubted).toMatchObject({ status: state.status, version: state.version + 1 })
    // Another delivery with the same word says nothing new.
    expect(decideGatewayCallback(doubted, gatewayCallback(status), false)).toMatchObject({
      disposition: 'DOUBTFUL',
      change: null,
    })
  })

  it('shows a status that is not recognised until one that is certain comes', () => {
    const unknown = given('pending', 'quite_new')
    expect(unknown).toMatchObject({ status: null, statusRaw: 'quite_new', provisional: true })
    expect(given('pending', 'quite_new', 'received')).toMatchObject({ status: 'received', provisional: true })
    expect(given('quite_new', 'received', 'return_pending')).toMatchObject({ provisional: false })
    expect(given('quite_new', 'return_received')).toMatchObject({ status: 'return_received', provisional: false })
  })

  it('ends a doubt with a status that is further than all before', () => {
    expect(given('failed', 'pending')).toMatchObject({ status: 'failed', provisional: true })
    expect(given('failed', 'pending', 'received')).toMatchObject({ status: 'received', provisional: false })
  })

  it('changes nothing at a repeat of the same bytes', () => {
    const nothing = { disposition: 'NO_CHANGE', change: null, provisional: null, confirm: false }
    expect(decide(given('received'), 'pending', true)).toEqual(nothing)
    expect(decide(given('received'), 'received')).toEqual(nothing)
    expect(decide(given('quite_new'), 'quite_new')).toEqual(nothing)
  })

  it('is not changed by an answer that callbacks have overtaken', () => {
    const early = decidedGateway(null, decideGatewayCallback(null, gatewayCallback('received'), false))
    expect(early).toMatchObject({ status: 'received', provisional: false, amount: '99.95' })
    expect(decideGatewayCreation(early, gatewayCallback('created'))).toMatchObject({ change: null, provisional: null })
  })

  it('is told by its kinds and its stream', () => {
    expect(isGatewayKind('GATEWAY_PAYMENT_CREATED')).toBe(true)
    expect(isGatewayKind('PAYOUT_CREATED')).toBe(false)
    expect([isGatewayStream('gateway:1'), isGatewayStream('payment:1')]).toEqual([true, false])
  })
})

describe('every pair of callbacks, in both orders', () => {
  const rank = (status: PaymentStatus): number => factsOf(status).rank
  const pairs = PAYMENT_STATUSES.flatMap((one) =>
    PAYMENT_STATUSES.filter((other) => other !== one).map((other) => [one, other] as const),
  )
  const ends = (one: string, other: string) => [given(one, other), given(other, one)]

  it('ends with the status that is further', () => {
    for (const [one, other] of pairs.filter(([a, b]) => rank(a) > rank(b)))
      expect([one, other, ends(one, other).map(({ status }) => status)]).toEqual([one, other, [one, one]])
  })

  it('is provisional where neither is further', () => {
    for (const [one, other] of pairs.filter(([a, b]) => rank(a) === rank(b)))
      expect([one, other, ends(one, other).map(({ provisional }) => provisional)]).toEqual([one, other, [true, true]])
  })
})
