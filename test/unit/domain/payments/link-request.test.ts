import { describe, expect, it } from 'vitest'
import {
  linkRequestProblems,
  normaliseLinkRequest,
  type LinkCustomer,
  type LinkRequest,
} from '../../../../src/domain/payments/payment-link.ts'

const CUSTOMER: LinkCustomer = { email: 'ada@example.test', firstName: 'Ada', lastName: 'Payer' }
const REQUEST: LinkRequest = {
  idempotencyKey: 'key-1',
  reference: 'order-1',
  amount: { value: '125.50', currency: 'AUD' },
  description: 'Two tickets',
  customer: CUSTOMER,
  expiresInSeconds: 1_800,
}

/** Returns the paths of the problems, each joined by dots. */
function problems(over: Partial<LinkRequest>): string[] {
  return linkRequestProblems({ ...REQUEST, ...over }).map(({ path, message }) => {
    expect(message).toMatch(/^(?:must|is|has|collects) /)
    return path.join('.')
  })
}

const customer = (over: Partial<LinkCustomer>) => problems({ customer: { ...CUSTOMER, ...over } })

describe('normaliseLinkRequest', () => {
  it('takes superfluous spaces out of the name and the e-mail address', () => {
    const asked = {
      ...CUSTOMER,
      email: ' ada@example.test\t',
      firstName: ' Ada  Maria ',
      lastName: '\u3000Payer\u00A0',
    }
    expect(normaliseLinkRequest({ ...REQUEST, customer: asked })).toEqual({
      ...REQUEST,
      customer: { ...CUSTOMER, firstName: 'Ada Maria' },
    })
  })
})

describe('linkRequestProblems', () => {
  it('finds nothing wrong with the least, and with everything', () => {
    expect(problems({})).toEqual([])
    const everything = {
      ...CUSTOMER,
      address: '1 High Street',
      city: 'Perth',
      postalCode: '6000',
      state: 'WA',
      countryCode: 'AU',
      extra: { date_of_birth: '1990-01-02' },
    }
    const rest = { methodCode: 'au_card_aud', ownerId: 'user-1', site: 'au', successUrl: 'https://shop.test/ok' }
    expect(problems({ ...rest, customer: everything, failureUrl: 'https://shop.test/no' })).toEqual([])
    expect(problems({ methodCode: null, ownerId: null, customer: { ...CUSTOMER, extra: null, city: null } })).toEqual(
      [],
    )
  })

  it.each([
    ['idempotencyKey', 255],
    ['reference', 255],
    ['description', 500],
    ['ownerId', 255],
  ] as const)('holds %s to 1 to %d characters, without control characters', (name, longest) => {
    expect(problems({ [name]: 'a'.repeat(longest) })).toEqual([])
    for (const wrong of ['a'.repeat(longest + 1), '', ' ', '\u00A0', 'a\nb', 'a\0', '\u0085', 'a\uD800'])
      expect(problems({ [name]: wrong })).toEqual([name])
  })

  it.each(['firstName', 'lastName', 'address', 'city', 'postalCode', 'state'] as const)(
    'holds customer.%s to 1 to 255 characters',
    (name) => {
      for (const right of ['a', "O'Neill 山田 🎉", 'a'.repeat(255)]) expect(customer({ [name]: right })).toEqual([])
      for (const wrong of ['', ' \t', 'a'.repeat(256), 'a\r\nb'])
        expect(customer({ [name]: wrong })).toEqual([`customer.${name}`])
    },
  )

  it('holds the e-mail address', () => expect(customer({ email: 'ada' })).toEqual(['customer.email']))

  it('holds the country to two capitals', () => {
    for (const wrong of ['', 'au', 'AUS', 'A', 'A1'])
      expect(customer({ countryCode: wrong })).toEqual(['customer.countryCode'])
  })

  it('holds further fields to names of their own and to text', () => {
    const extra = (name: string, value: unknown) => customer({ extra: { [name]: value } })
    for (const name of ['email', 'first_name', 'last_name', 'address', 'city', 'postal_code', 'state', 'country_code'])
      expect(extra(name, 'x')).toEqual([`customer.extra.${name}`])
    for (const name of ['', 'A', '1a', '_a', 'a-b', 'a b', '__proto__', 'a'.repeat(65)])
      expect(customer({ extra: JSON.parse(JSON.stringify(Object.fromEntries([[name, 'x']]))) })).toEqual([
        `customer.extra.${name}`,
      ])
    for (const value of [1, true, null, {}, ['x'], '', 'a'.repeat(256), '\0'])
      expect(extra('phone', value)).toEqual(['customer.extra.phone'])
    expect(extra('phone', '+61 2 5550 0000')).toEqual([])
    expect(customer({ extra: { b: 1, a: 2 } })).toEqual(['customer.extra.b', 'customer.extra.a'])
  })

  it('holds the method to the currency of the amount, where its code tells one', () => {
    expect(problems({ methodCode: 'jp_card_jpy' })).toEqual(['methodCode'])
    for (const wrong of ['', ' ', 'x'.repeat(101)]) expect(problems({ methodCode: wrong })).toEqual(['methodCode'])
    expect(problems({ methodCode: 'usdc_bank' })).toEqual([])
    expect(linkRequestProblems({ ...REQUEST, methodCode: 'jp_card_jpy' })[0]?.message).toBe(
      'collects in JPY, not in AUD',
    )
  })

  it('holds the time to 15 minutes at least', () => {
    expect(problems({ expiresInSeconds: 900 })).toEqual([])
    for (const wrong of [899, 0, -1, Number.NaN])
      expect(problems({ expiresInSeconds: wrong })).toEqual(['expiresInSeconds'])
  })

  it('names the amount by its value', () => {
    expect(problems({ amount: { value: '0', currency: 'AUD' } })).toEqual(['amount.value'])
    expect(problems({ amount: { value: '0.5', currency: 'JPY' } })).toEqual(['amount.value'])
    expect(problems({ amount: { value: '1.5', currency: 'JPY' } })).toEqual([])
  })

  it('tells everything that is wrong at once', () => {
    expect(problems({ idempotencyKey: '', reference: '', description: '', expiresInSeconds: 1, ownerId: '' })).toEqual([
      'idempotencyKey',
      'reference',
      'description',
      'expiresInSeconds',
      'ownerId',
    ])
  })
})
