import { describe, expect, test } from 'vitest'
import { LANGUAGES } from '../../../../src/domain/payments/failures/failure-messages.ts'
import { nextAction, nextActionLabel } from '../../../../src/domain/payments/next-action.ts'
import type { PaymentLink } from '../../../../src/domain/payments/payment-link.ts'
import { type PaymentDetails, factsOf, type PaymentStatus } from '../../../../src/domain/payments/payment-report.ts'
import type { Payment } from '../../../../src/domain/payments/payment.ts'
import { link as aLink } from '../../../store/contract/builders.ts'

const NOW = new Date('2026-03-01T10:05:00.000Z')
const FAILED_AT = '2026-03-01T10:00:00.000Z'
const CHECKOUT = 'https://pay.example.test/l/1'
const THREE_DS = 'https://bank.example.test/3ds'

const openLink = aLink('1', { checkoutUrl: CHECKOUT, expiresAt: '2026-03-01T10:20:00.000Z', paymentId: 'payment-1' })
const lapsedLink: PaymentLink = { ...openLink, expiresAt: '2026-03-01T10:04:00.000Z' }
const closedLink: PaymentLink = { ...openLink, expired: true }

const openCheckout = { kind: 'OPEN_CHECKOUT', url: CHECKOUT, notBefore: null }
const startAgain = { kind: 'START_AGAIN', url: null, notBefore: null }
const wait = { kind: 'WAIT', url: null, notBefore: null }
const contactSupport = { kind: 'CONTACT_SUPPORT', url: null, notBefore: null }

describe('by status', () => {
  test.each([
    ['pending', openCheckout],
    ['authorised', wait],
    ['waiting', wait],
    ['received', null],
    ['expired', startAgain],
    ['return_pending', wait],
    ['return_expired', null],
    ['partially_refunded', null],
    ['return_received', null],
    ['return_rejected', null],
    ['in_dispute', contactSupport],
    ['dispute_lost', null],
  ] as const)('%s', (status, action) => {
    expect(nextAction(payment(status), openLink, NOW)).toStrictEqual(action)
  })

  test('a status that is not known yet is waited for, and leaves nothing to do once the money was here', () => {
    expect(nextAction({ ...payment('pending'), status: null }, openLink, NOW)).toStrictEqual(wait)
    expect(nextAction({ ...payment('received'), status: null }, openLink, NOW)).toBeNull()
  })
})

describe('pending', () => {
  test('with 3-D Secure to complete', () => {
    const action = nextAction(payment('pending', { threeDsUrl: THREE_DS }), openLink, NOW)
    expect(action).toStrictEqual({ kind: 'COMPLETE_3DS', url: THREE_DS, notBefore: null })
  })

  test.each([
    ['a link that has run out', lapsedLink],
    ['a link that the payments API says has expired', closedLink],
    ['no link', null],
  ])('on %s is waited for', (_what, link) => {
    expect(nextAction(payment('pending'), link, NOW)).toStrictEqual(wait)
  })
})

describe('failed', () => {
  test.each([
    ['cvc_incorrect', openCheckout],
    ['card_expired', openCheckout],
    ['never_heard_of', openCheckout],
    [null, openCheckout],
    ['amount_too_large', startAgain],
    ['amount_too_small', startAgain],
    ['return_url_invalid', contactSupport],
    ['transaction_duplicated', contactSupport],
  ])('with %s on an open link', (failureCode, action) => {
    expect(nextAction(payment('failed', { failureCode }), openLink, NOW)).toStrictEqual(action)
  })

  test.each([
    ['a link that has run out', lapsedLink],
    ['a link that the payments API says has expired', closedLink],
    ['no link', null],
  ])('on %s starts again', (_what, link) => {
    expect(nextAction(payment('failed', { failureCode: 'cvc_incorrect' }), link, NOW)).toStrictEqual(startAgain)
  })

  test('is tried again on the same link once the wait is over', () => {
    const failed = payment('failed', { failureCode: 'processing_error' })
    const soon = new Date('2026-03-01T10:00:30.000Z')
    expect(nextAction(failed, openLink, soon)).toStrictEqual({ ...openCheckout, notBefore: '2026-03-01T10:01:00.000Z' })
    expect(nextAction(failed, openLink, NOW)).toStrictEqual(openCheckout)
  })

  test('starts again where the link ends before the wait does', () => {
    const action = nextAction(payment('failed', { failureCode: 'card_decline_rate_limit_exceeded' }), openLink, NOW)
    expect(action).toStrictEqual({ ...startAgain, notBefore: '2026-03-02T10:00:00.000Z' })
  })

  test.each(['card_lost', 'card_stolen', 'fraudulent'])('with %s looks like any other decline', (failureCode) => {
    const generic = nextAction(payment('failed', { failureCode: 'generic_declined' }), openLink, NOW)
    expect(nextAction(payment('failed', { failureCode }), openLink, NOW)).toStrictEqual(generic)
  })
})

test.each(['pending', 'failed', 'expired'] as const)(
  'a %s payment in whose place another one was made asks for nothing',
  (status) => {
    expect(nextAction(payment(status), { ...openLink, paymentId: 'payment-2' }, NOW)).toBeNull()
  },
)

test('every action has a label of its own in every language', () => {
  const kinds = ['OPEN_CHECKOUT', 'COMPLETE_3DS', 'WAIT', 'START_AGAIN', 'CONTACT_SUPPORT'] as const
  const labels = [...LANGUAGES.keys()].flatMap((locale) => kinds.map((kind) => nextActionLabel(kind, locale)))
  expect(new Set(labels).size).toBe(kinds.length * LANGUAGES.size)
  expect(nextActionLabel('WAIT', 'ja-JP')).toBe('お待ちください')
  expect(nextActionLabel('WAIT', null)).toBe('Please wait')
})

function payment(status: PaymentStatus, details: Partial<PaymentDetails> = {}): Payment {
  const { rank, phase } = factsOf(status)
  return {
    id: 'payment-1',
    streamId: 'link:ref-1',
    linkRef: 'ref-1',
    version: 1,
    statusRaw: status,
    status,
    phase,
    rank,
    seen: [status],
    provisional: false,
    details: { ...NO_DETAILS, ...details },
    updatedAt: FAILED_AT,
  }
}

const NO_DETAILS: PaymentDetails = {
  currency: 'AUD',
  amount: '12.50',
  total: null,
  paid: null,
  refunded: null,
  refundTotal: null,
  refundable: null,
  gst: null,
  gstAmount: null,
  reference: null,
  methodRaw: null,
  card: null,
  threeDsUrl: null,
  failureCode: null,
  failureMessage: null,
  instructions: null,
  expiresAt: null,
  createdAt: null,
}
