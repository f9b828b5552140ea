import { describe, expect, it } from 'vitest'
import {
  gatewayRequestProblems,
  type GatewayContact,
  type GatewayItem,
  type GatewayRequest,
} from '../../../../src/domain/gateway/gateway-payment.ts'

const CONTACT: GatewayContact = {
  firstName: 'Ada',
  lastName: "O'Payer",
  phone: '+61412345678',
  email: 'ada@example.test',
}
const ITEM: GatewayItem = { id: 'i-1', name: 'Ticket', quantity: 2, price: '12.50' }
const REQUEST: GatewayRequest = {
  idempotencyKey: 'key-1',
  reference: 'order-1',
  amount: { value: '25.00', currency: 'AUD' },
  description: 'Two tickets',
  successUrl: 'https://shop.test/ok',
  billing: CONTACT,
}

/** Returns the paths of the problems, each joined by dots. */
function problems(over: Partial<GatewayRequest>): string[] {
  return gatewayRequestProblems({ ...REQUEST, ...over }).map(({ path, message }) => {
    expect(message).toMatch(/^must /)
    return path.join('.')
  })
}

const item = (over: Partial<GatewayItem>) => problems({ items: [ITEM, { ...ITEM, ...over }] })

describe('gatewayRequestProblems', () => {
  it('finds nothing wrong with the least, and with everything', () => {
    expect(problems({})).toEqual([])
    expect(problems({ shipping: null, items: null })).toEqual([])
    const place = { address: '1 High Street', city: 'Perth', postalCode: '6000', state: 'WA', countryCode: 'AU' }
    const everything = { ...CONTACT, ...place, company: 'Example Pty Ltd' }
    const dear = { ...ITEM, variantId: 'v', imageUrl: 'https://shop.test/i.png', enableCashback: true }
    expect(problems({ billing: everything, shipping: everything, items: [dear, { ...dear, price: '0.00' }] })).toEqual(
      [],
    )
    expect(problems({ items: [] })).toEqual([])
  })

  it.each([
    ['idempotencyKey', 255],
    ['reference', 255],
    ['description', 500],
  ] as const)('holds %s to 1 to %d characters', (name, longest) => {
    expect(problems({ [name]: 'a'.repeat(longest) })).toEqual([])
    for (const wrong of ['a'.repeat(longest + 1), '', ' ', 'a\nb']) expect(problems({ [name]: wrong })).toEqual([name])
  })

  it('takes AUD alone', () => {
    expect(problems({ amount: { value: '25.00', currency: 'NZD' } })).toEqual(['amount.currency'])
    for (const value of ['0', '1.234', 'x'])
      expect(problems({ amount: { value, currency: 'AUD' } })).toEqual(['amount.value'])
  })

  it.each(['billing', 'shipping'] as const)('holds the contact for %s', (name) => {
    const contact = (over: Partial<GatewayContact>) => problems({ [name]: { ...CONTACT, ...over } })
    for (const phone of ['+1234567', '+61412345678', '+123456789012345']) expect(contact({ phone })).toEqual([])
    for (const phone of [
      '',
      '0412345678',
      '+0412345678',
      '+61 412',
      '+61-412345678',
      '+123456',
      `+${'1'.repeat(16)}`,
      '+61412345678\n',
    ])
      expect(contact({ phone })).toEqual([`${name}.phone`])
    for (const field of ['firstName', 'lastName', 'company', 'address', 'city', 'postalCode', 'state'] as const)
      for (const wrong of ['', ' ', 'a'.repeat(256), 'a\nb'])
        expect(contact({ [field]: wrong })).toEqual([`${name}.${field}`])
    expect(contact({ email: 'ada' })).toEqual([`${name}.email`])
    for (const countryCode of ['', 'au', 'AUS']) expect(contact({ countryCode })).toEqual([`${name}.countryCode`])
    expect(contact({ countryCode: null, company: null })).toEqual([])
  })

  it('holds each item', () => {
    for (const quantity of [1, 1_000]) expect(item({ quantity })).toEqual([])
    for (const quantity of [0, -1, 1.5, Number.NaN, Infinity]) expect(item({ quantity })).toEqual(['items.1.quantity'])
    for (const price of ['0', '0.0', '0.00', '0.01', '12.5', '1200']) expect(item({ price })).toEqual([])
    for (const price of ['-1', '0.000', '0.001', '1.234', '', 'x', '.5'])
      expect(item({ price })).toEqual(['items.1.price'])
    for (const field of ['id', 'name', 'variantId'] as const)
      for (const wrong of ['', ' ', 'a'.repeat(256)]) expect(item({ [field]: wrong })).toEqual([`items.1.${field}`])
  })

  it('tells everything that is wrong at once', () => {
    const contact = { ...CONTACT, phone: 'x', email: 'x' }
    expect(
      problems({ reference: '', billing: contact, shipping: contact, items: [{ ...ITEM, quantity: 0, price: 'x' }] }),
    ).toEqual([
      'reference',
      'billing.phone',
      'billing.email',
      'shipping.phone',
      'shipping.email',
      'items.0.quantity',
      'items.0.price',
    ])
  })
})
