import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { emailProblem, personNameProblem, textProblem } from '../../../../src/domain/field-problems.ts'
import {
  parseFieldDescriptor,
  type MethodRequirements,
  methodFieldProblems,
} from '../../../../src/domain/methods/payin-method.ts'
import {
  normalisePayinRequest,
  payinExpiryProblems,
  payinRequestProblems,
  type PayinRequest,
} from '../../../../src/domain/payments/direct-payin.ts'

const REQUEST: PayinRequest = {
  idempotencyKey: 'key-1',
  reference: 'order-1',
  amount: { value: '500', currency: 'PHP' },
  methodCode: 'ph_bank_maya_php',
  customerName: 'Ada Payer',
  customerEmail: 'ada@example.test',
  gst: false,
}

const REQUIREMENTS: MethodRequirements = {
  code: 'ph_bank_maya_php',
  currency: 'PHP',
  description: null,
  minAmount: '200',
  maxAmount: '50000.00',
  networks: null,
  symbol: null,
  logo: null,
  refundable: null,
  cancellable: null,
  requiresContact: null,
  requiresKyc: null,
  fields: [],
}

/** Returns the paths of the problems, each joined by dots. */
function problems(over: Partial<PayinRequest>, requirements: Partial<MethodRequirements> | null = null): string[] {
  const required = requirements === null ? null : { ...REQUIREMENTS, ...requirements }
  return payinRequestProblems({ ...REQUEST, ...over }, required).map(({ path, message }) => {
    expect(message).toMatch(/^(?:must|is) /)
    return path.join('.')
  })
}

describe('normalisePayinRequest', () => {
  it('takes superfluous spaces out of the name and the e-mail address', () => {
    const asked = { ...REQUEST, customerName: ' Ada \u3000Payer ', customerEmail: ' ada@example.test ' }
    expect(normalisePayinRequest(asked)).toEqual(REQUEST)
  })
})

describe('payinRequestProblems', () => {
  it('finds nothing wrong with the least, and with everything', () => {
    expect(problems({})).toEqual([])
    expect(problems({}, {})).toEqual([])
    const rest = { description: 'Two tickets', methodFields: { user_id: '7' }, ownerId: 'user-1', site: 'ph' }
    expect(problems(rest, {})).toEqual([])
    expect(problems({ description: null, methodFields: null, ownerId: null, site: null }, {})).toEqual([])
  })

  it.each([
    ['idempotencyKey', 255],
    ['reference', 255],
    ['customerName', 255],
    ['description', 500],
    ['ownerId', 255],
  ] as const)('holds %s to 1 to %d characters, without control characters', (name, longest) => {
    expect(problems({ [name]: 'a'.repeat(longest) })).toEqual([])
    for (const wrong of ['a'.repeat(longest + 1), '', ' ', 'a\nb', 'a\0', 'a\uD800'])
      expect(problems({ [name]: wrong })).toEqual([name])
  })

  it('lets GST be true for AUD alone', () => {
    const aud = { amount: { value: '500', currency: 'AUD' }, methodCode: 'au_payid_npp_aud' }
    expect(problems({ ...aud, gst: true })).toEqual([])
    expect(problems({ ...aud, gst: false })).toEqual([])
    expect(problems({ gst: true })).toEqual(['gst'])
  })

  it('holds the amount to the currency, and to the limits where they are known', () => {
    for (const value of ['0', '-1', '1e3', '1.234', 'x'])
      expect(problems({ amount: { value, currency: 'PHP' } })).toEqual(['amount.value'])
    for (const value of ['199.99', '50000.01']) {
      expect(problems({ amount: { value, currency: 'PHP' } }, {})).toEqual(['amount.value'])
      expect(problems({ amount: { value, currency: 'PHP' } })).toEqual([])
    }
    for (const value of ['200', '200.00', '50000'])
      expect(problems({ amount: { value, currency: 'PHP' } }, {})).toEqual([])
    expect(problems({ amount: { value: '1', currency: 'PHP' } }, { minAmount: null, maxAmount: null })).toEqual([])
  })

  it('holds the method to the currency of the amount', () => {
    expect(problems({ methodCode: 'jp_bank_jpy' })).toEqual(['methodCode'])
    for (const wrong of ['', ' ', 'x'.repeat(101)]) expect(problems({ methodCode: wrong })).toEqual(['methodCode'])
    expect(problems({ methodCode: 'usdc_bank' })).toEqual([])
    expect(problems({ methodCode: 'usdc_bank' }, { currency: 'USDC' })).toEqual(['methodCode'])
    // Limits in another currency do not apply to this amount.
    expect(problems({ amount: { value: '1', currency: 'PHP' } }, { currency: 'USDC' })).toEqual(['methodCode'])
  })

  it('lets the amount be absent for an open method alone, with a currency', () => {
    const open = { amount: null, methodCode: 'usdc_bank' }
    expect(problems({ ...open, currency: 'USDC' })).toEqual([])
    expect(problems({ ...open, currency: 'USDC' }, { currency: 'USDC', minAmount: '10' })).toEqual([])
    expect(problems({ ...open, currency: 'AUD' }, { currency: 'USDC' })).toEqual(['methodCode'])
    expect(problems({ amount: null, currency: 'PHP' })).toEqual(['amount'])
    expect(problems({ amount: undefined, currency: 'PHP' }, {})).toEqual(['amount'])
  })

  it('holds a currency to that of the amount', () => {
    expect(problems({ currency: 'PHP' })).toEqual([])
    expect(problems({ currency: null })).toEqual([])
    expect(problems({ currency: 'USD' })).toEqual(['currency'])
  })

  it('asks for what the method asks for', () => {
    const fields = [
      parseFieldDescriptor('callback_url', 'string:Mandatory where to go'),
      parseFieldDescriptor('user_id', 'string:Optional'),
    ]
    expect(problems({}, { fields })).toEqual(['methodFields.callback_url'])
    expect(problems({ methodFields: { callback_url: 'https://shop.test', more: [1] } }, { fields })).toEqual([])
    expect(problems({ methodFields: { callback_url: 1, user_id: 2 } }, { fields })).toEqual([
      'methodFields.callback_url',
      'methodFields.user_id',
    ])
  })

  it('tells everything that is wrong at once', () => {
    const wrong = { idempotencyKey: '', reference: '', customerName: '', customerEmail: 'x', gst: true, ownerId: '' }
    expect(problems(wrong)).toEqual(['idempotencyKey', 'reference', 'customerName', 'customerEmail', 'gst', 'ownerId'])
  })

  it('never fails, whatever the text', () => {
    const anything = fc.string({ unit: 'binary', maxLength: 300 })
    fc.assert(
      fc.property(
        anything,
        anything,
        fc.dictionary(anything, fc.jsonValue(), { maxKeys: 5 }),
        (text, other, methodFields) => {
          const amount = { value: other, currency: text }
          const fields = [{ name: text, type: other, required: true, label: null, raw: '' }]
          const found = problems(
            { reference: text, methodCode: other, customerEmail: text, amount, methodFields },
            { fields },
          )
          expect(found.every((path) => /^(?:reference|methodCode|customerEmail|amount|methodFields)/.test(path))).toBe(
            true,
          )
        },
      ),
    )
  })
})

describe('methodFieldProblems', () => {
  const check = (type: string, required: boolean, given: Record<string, unknown>) =>
    methodFieldProblems(given, { fields: [{ name: 'f', type, required, label: null, raw: '' }] }, ['x'])
      .filter((found) => found !== null)
      .map(({ path, message }) => `${path.join('.')} ${message}`)

  it.each([
    ['string', ['a', '', ' '], [1, true, {}, []]],
    ['number', [1, 1.5, 0, -1], ['1', Number.NaN, Infinity, true, [1]]],
    ['integer', [1, 0, -1], [1.5, '1', 2 ** 53, true]],
    ['boolean', [true, false], ['true', 0, 1]],
  ])('holds %s to %j, and refuses %j', (type, right, wrong) => {
    for (const f of right) expect(check(type, false, { f })).toEqual([])
    for (const f of wrong) expect(check(type, false, { f })).toEqual([`x.f must be of type ${type}`])
  })

  it('takes an optional field that is absent, and no required one', () => {
    for (const given of [{}, { f: null }, { f: undefined }, { g: 'a' }]) {
      expect(check('string', false, given)).toEqual([])
      expect(check('string', true, given)).toEqual(['x.f is required'])
    }
    expect(check('string', true, { f: ' ' })).toEqual(['x.f must not be blank'])
    expect(check('boolean', true, { f: false })).toEqual([])
    expect(check('number', true, { f: 0 })).toEqual([])
  })

  it('leaves types that it does not know to the payments API', () => {
    for (const type of ['date', '', 'constructor', 'toString', '__proto__'])
      expect(check(type, true, { f: {} })).toEqual([])
  })

  it('takes no field from the prototype for one that was given', () => {
    const fields = [{ name: 'constructor', type: 'string', required: true, label: null, raw: '' }]
    expect(methodFieldProblems({}, { fields }, [])).toEqual([{ path: ['constructor'], message: 'is required' }])
    expect(methodFieldProblems({}, null, [])).toEqual([])
  })
})

describe('textProblem', () => {
  it('counts what the payments API counts in any way', () => {
    const range = { shortest: 5, longest: 8 }
    for (const right of ['abcde', 'abcdefgh', 'ab cd', ' abcde ', '🎉🎉abc'])
      expect(textProblem(right, range, [])).toBeNull()
    for (const wrong of ['abcd', ' abcd ', '🎉🎉🎉', 'abcdefghi', '🎉🎉🎉🎉a', '     ', 'abc\tde', ''])
      expect(textProblem(wrong, range, ['x'])).toMatchObject({ path: ['x'] })
  })
})

describe('personNameProblem', () => {
  it.each(['A', '7', 'Ada Payer', 'Ada  Payer 3', 'José Núñez', 'नेहा शर्मा', 'สมชาย', '山田 太郎', 'a'.repeat(255)])(
    'takes %.20s',
    (name) => expect(personNameProblem(name)).toBeNull(),
  )

  it.each([
    '',
    ' ',
    'Ada ',
    ' Ada',
    "O'Neill",
    'Ada-Lou',
    'A.',
    'a_b',
    'Ada\t',
    'Ada\u00A0B',
    'A🎉',
    'A\uD800',
    'a'.repeat(256),
  ])('refuses %.20j', (name) => expect(personNameProblem(name)).toMatch(/^must /))
})

describe('emailProblem', () => {
  it.each(['a@b.c', 'ada+tag@mail.example.test', "o'neill@example.co.uk", 'ü@exämple.test'])('takes %s', (email) => {
    expect(emailProblem(email)).toBeNull()
  })

  it.each(
    ['', 'a', '@b.c', 'a@', 'a@b', 'a@b.', 'a@.c', 'a@b..c', 'a b@c.d', 'a@b@c.d', ' a@b.c', 'a@b.c\n'].concat([
      `${'a'.repeat(65)}@b.c`,
      `a@${'b'.repeat(260)}.c`,
      `a@${'b.'.repeat(100_000)}`,
    ]),
  )('refuses %.30j', (email) => expect(emailProblem(email)).toBe('must be an e-mail address'))
})

describe('payinExpiryProblems', () => {
  const now = new Date('2026-01-01T00:00:00Z')
  it.each([
    [null, []],
    ['2026-01-01T00:15:00Z', []],
    ['2026-01-01T00:14:59.999Z', ['expiresAt']],
    ['2025-12-31T00:00:00Z', ['expiresAt']],
  ])('asks for a quarter of an hour: %s', (at, paths) => {
    const expiresAt = at === null ? null : new Date(at)
    expect(payinExpiryProblems({ ...REQUEST, expiresAt }, now).map(({ path }) => path.join('.'))).toEqual(paths)
  })
})
