import { describe, expect, it } from 'vitest'
import { attributeRead, belongsTogether, readOfUnusedLink } from '../../../../src/domain/payments/attribution.ts'
import type { PaymentLink } from '../../../../src/domain/payments/payment-link.ts'
import type { PaymentReport } from '../../../../src/domain/payments/payment-report.ts'
import type { Payment } from '../../../../src/domain/payments/payment.ts'
import { link, report } from '../../../store/contract/builders.ts'
import { given } from '../payments.ts'

const LINK = link('a')
const said = (paymentId: string, linkId: string | null = null) => report('received', { paymentId, linkId })

describe('belongsTogether', () => {
  const known = given('pending')
  const elsewhere = { ...known, linkRef: 'b' }
  const direct = { ...known, linkRef: null }

  it.each<[string, string | null, PaymentLink | null, Payment | null, string | null, boolean]>([
    ['the default address, whatever it names', null, null, elsewhere, 'LINK-b', true],
    ['a link without a payment', 'a', LINK, null, null, true],
    ['a link that is not on record yet', 'a', null, null, 'LINK-b', true],
    ['its own payment', 'a', LINK, known, null, true],
    ['a payment that belongs to no link', 'a', LINK, direct, null, true],
    ['its own name', 'a', LINK, known, 'LINK-a', true],
    ['the name of another link', 'a', LINK, known, 'LINK-b', false],
    ['the payment of another link', 'a', LINK, elsewhere, null, false],
    ['the payment of another link, before its own is on record', 'a', null, elsewhere, null, false],
  ])('%s', (_name, ref, ofAddress, ...rest) => {
    const [payment, linkId, expected] = rest
    expect(belongsTogether(said('PAY1', linkId), { ref, link: ofAddress }, payment)).toBe(expected)
  })
})

describe('attributeRead', () => {
  const ofAmount = (amount: string | null, currency: string | null = 'AUD') =>
    report('received', { paymentId: 'PAY9', details: { amount, currency } })

  it.each<[string, string | null, PaymentLink | null, PaymentReport, string | null]>([
    ['the payment itself', 'PAY1', LINK, said('PAY1'), 'PAY1'],
    ['the payment without a link', 'PAY1', null, said('PAY1'), 'PAY1'],
    ['the payment under the uuid of its link', 'PAY1', LINK, said('LINK-a'), 'PAY1'],
    ['another payment that names the link', 'PAY1', LINK, said('PAY2', 'LINK-a'), 'PAY2'],
    ['another payment', 'PAY1', LINK, said('PAY2'), null],
    ['another payment, without a link', 'PAY1', null, said('PAY2', 'LINK-a'), null],
    ['a payment that names another link', 'PAY1', LINK, said('PAY1', 'LINK-b'), null],
    ['the link itself', null, LINK, said('LINK-a'), 'LINK-a'],
    ['a payment that we had not heard of, of the same amount', null, LINK, ofAmount('25.5'), 'PAY9'],
    ['a payment that we had not heard of, and that does not tell', null, LINK, ofAmount(null, null), 'PAY9'],
    ['a payment that we had not heard of, of another amount', null, LINK, ofAmount('25.51'), null],
    ['a payment that we had not heard of, in another currency', null, LINK, ofAmount('25.5', 'NZD'), null],
    ['a payment of another amount that names the link', null, LINK, said('PAY9', 'LINK-a'), 'PAY9'],
    ['a payment of another link', null, LINK, said('PAY9', 'LINK-b'), null],
  ])('%s', (_name, paymentId, ofSubject, ...rest) => {
    const [answer, expected] = rest
    expect(attributeRead({ paymentId, link: ofSubject }, answer)?.paymentId ?? null).toBe(expected)
  })
})

describe('readOfUnusedLink', () => {
  it.each([
    ['LINK-a', 'pending', 'untouched'],
    ['LINK-a', 'expired', 'expired'],
    ['LINK-a', 'canceled', 'expired'],
    ['LINK-a', 'received', 'paid-through'],
    ['LINK-a', 'quite_new', 'paid-through'],
    ['PAY1', 'pending', 'paid-through'],
    ['PAY1', 'expired', 'paid-through'],
  ] as const)('%s %s is %s', (paymentId, status, expected) => {
    expect(readOfUnusedLink(LINK, report(status, { paymentId }))).toBe(expected)
  })
})
