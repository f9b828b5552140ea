import { expect, it } from 'vitest'
import type { PaymentEvent } from '../../../src/domain/events/payment-event.ts'
import type { Payment } from '../../../src/domain/payments/payment.ts'
import { createNewestStates } from '../../../src/streams/newest-states.ts'

/** A payment in some version, with another status text for each state. */
const state = (version: number, statusRaw: string) => ({ id: 'P1', version, statusRaw }) as Payment
const event = (payment: Payment) => ({ payment, agreement: null, payout: null, gatewayPayment: null }) as PaymentEvent

it('knows the state of the highest version, and of one version what was read last', () => {
  const states = createNewestStates()
  const known = () => states.payment.get('P1')?.statusRaw
  states.update(event(state(2, 'replayed')))
  expect(known()).toBeUndefined()
  states.append([event(state(2, 'appended'))])
  const read = states.payment.reading()
  expect(read(state(2, 'read'))).toMatchObject({ statusRaw: 'read' })
  states.append([event(state(2, 'appended'))])
  states.update(event(state(2, 'replayed')))
  expect([known(), read(state(1, 'late')).statusRaw, states.replaced]).toEqual(['read', 'read', 0])
  states.update(event(state(3, 'ahead')))
  expect([known(), states.payment.newest(state(4, 'listed')).statusRaw, known(), states.replaced]).toEqual([
    'ahead',
    'listed',
    'listed',
    2,
  ])
})

it('knows nothing of a branch of the log that was left', () => {
  const states = createNewestStates()
  states.append([event(state(2, 'appended'))])
  const read = states.payment.reading()
  states.clear()
  expect(read(state(3, 'read')).statusRaw).toBe('read')
  expect(states.payment.get('P1')).toBeUndefined()
})
