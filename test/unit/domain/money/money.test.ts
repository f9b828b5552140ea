import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  amountProblem,
  compareDecimals,
  decimalFromText,
  mayBeRecordedAs,
  payinAmountProblem,
} from '../../../../src/domain/money/money.ts'

describe('amountProblem', () => {
  it.each([
    ['0.01', 'AUD'],
    ['1', 'AUD'],
    ['1.5', 'AUD'],
    ['1250.50', 'AUD'],
    ['1250.00', 'AUD'],
    ['999999999999999', 'JPY'],
    ['9999999999999.99', 'AUD'],
    ['0.000001', 'USDC'],
    ['123456789.123456', 'USDC'],
    ['1.5', 'XYZ'],
  ])('takes %s %s', (value, currency) => expect(amountProblem({ value, currency })).toBeNull())

  it.each([
    ...'1e3 1E3 +1 -1 -0 .5 5. 1.2.3 1,000 1_000 0x10 01 00 00.1 NaN Infinity null ١٢ １２ 1٫5 1.1234567 1234567890123456'.split(
      ' ',
    ),
    '',
    ' ',
    ' 1',
    '1 ',
    '1\n',
    '1'.repeat(1_000_000),
  ])('refuses the form of %j', (value) => {
    expect(amountProblem({ value, currency: 'USDC' })).toBe('must be a plain decimal number such as "1250.50"')
  })

  it.each(['0', '0.0', '0.00', '0.000000'])('refuses %s, which is nothing', (value) => {
    expect(amountProblem({ value, currency: 'USDC' })).toBe('must be above zero')
  })

  it.each(['123456789012345.1', '1234567890.123456', '100000000000000.0'])('refuses the 16 digits of %s', (value) => {
    expect(amountProblem({ value, currency: 'USDC' })).toBe('must have at most 15 digits')
  })

  it.each(['JPY', 'VND', 'KRW', 'XAF', 'XOF'])('takes whole units of %s only', (currency) => {
    expect(amountProblem({ value: '1000', currency })).toBeNull()
    for (const value of ['1000.5', '1000.0', '0.5'])
      expect(amountProblem({ value, currency })).toBe(`must be in whole units: ${currency} has no decimals`)
  })

  it.each(['JPY', 'VND', 'KRW', 'XAF', 'XOF'])('takes decimals of %s for a payin, which are rounded', (currency) => {
    for (const value of ['1', '1000', '1000.5', '1000.0', '1.000001', '99999999999999.5'])
      expect(payinAmountProblem({ value, currency })).toBeNull()
    for (const value of ['0.5', '0.999999']) expect(payinAmountProblem({ value, currency })).toMatch(/at least 1/)
    for (const value of ['0.0', '1e3', '1.0000001', '123456789012345.1'])
      expect(payinAmountProblem({ value, currency })).toBe(amountProblem({ value, currency: 'USDC' }))
    expect(payinAmountProblem({ value: '1.005', currency: 'AUD' })).toBe('must have at most 2 decimals in AUD')
  })

  it.each([
    ['AUD', 2],
    ['IDR', 2],
    ['USD', 2],
    ['USDC', 6],
  ] as const)('takes of %s %d decimals at most', (currency, decimals) => {
    expect(amountProblem({ value: `1.${'1'.repeat(decimals)}`, currency })).toBeNull()
    const problem = amountProblem({ value: `1.${'1'.repeat(decimals + 1)}`, currency })
    expect(problem).toBe(
      decimals === 6
        ? 'must be a plain decimal number such as "1250.50"'
        : `must have at most ${decimals} decimals in ${currency}`,
    )
  })

  it('takes nothing that a float of any language would change', () => {
    const amount = fc.tuple(fc.bigInt(0n, 10n ** 15n - 1n), fc.nat(6))
    fc.assert(
      fc.property(amount, ([digits, decimals]) => {
        const value = plain(digits, decimals)
        if (amountProblem({ value, currency: 'USDC' }) !== null) return
        expect(compareDecimals(decimalFromText(String(Number(value))) ?? '', value)).toBe(0)
      }),
      { numRuns: 5_000 },
    )
  })
})

describe('decimalFromText', () => {
  it.each([
    ['0', '0'],
    ['-0', '0'],
    ['-0.00', '0.00'],
    ['100.0', '100.0'],
    ['1250.50', '1250.50'],
    ['-12.5', '-12.5'],
    [' 7 ', '7'],
    ['007', '7'],
    ['00.50', '0.50'],
    ['1e3', '1000'],
    ['1E3', '1000'],
    ['1e+3', '1000'],
    ['1.5e1', '15'],
    ['1.50e1', '15.0'],
    ['1.2345e2', '123.45'],
    ['5e-3', '0.005'],
    ['125e-2', '1.25'],
    ['-1.5e-7', '-0.00000015'],
    ['0e5', '0'],
    ['0.001e2', '0.1'],
    ['1e0', '1'],
    ['0.30000000000000004', '0.30000000000000004'],
    ['1e99', `1${'0'.repeat(99)}`],
  ])('reads %s as %s', (text, digits) => expect(decimalFromText(text)).toBe(digits))

  it.each(
    [...'- +1 .5 5. 1e e3 1e1.5 1e400 1e-100 1,5 --1 NaN Infinity 0x1f ١٢ 1n null'.split(' '), '', ' ', '1 5'].concat([
      '9'.repeat(31),
      `0.${'9'.repeat(31)}`,
      '1'.repeat(1_000_000),
    ]),
  )('reads nothing out of %.20j', (text) => expect(decimalFromText(text)).toBeNull())

  it('moves the point as an exact number does', () => {
    const written = fc.tuple(fc.bigInt(-(10n ** 20n), 10n ** 20n), fc.nat(20), fc.integer({ min: -30, max: 30 }))
    fc.assert(
      fc.property(written, ([digits, decimals, exponent]) => {
        const read = decimalFromText(`${plain(digits, decimals)}e${exponent}`) ?? ''
        expect(read).toMatch(/^-?(?:0|[1-9]\d*)(?:\.\d+)?$/)
        expect(asFraction(read, 60)).toBe(digits * 10n ** BigInt(60 - decimals + exponent))
      }),
      { numRuns: 5_000 },
    )
  })
})

describe('compareDecimals', () => {
  it.each([
    ['1', '1.0', 0],
    ['1.10', '1.1', 0],
    ['0', '-0', 0],
    ['0.1', '0.09', 1],
    ['9', '10', -1],
    ['-1', '1', -1],
    ['-0.5', '-0.4', -1],
    ['0.30000000000000004', '0.3', 1],
    ['9007199254740993', '9007199254740992', 1],
  ])('%s against %s is %d', (a, b, expected) => expect(compareDecimals(a, b)).toBe(expected))

  it('agrees with exact fractions on 100,000 pairs', () => {
    const decimal = fc.tuple(fc.bigInt(-(10n ** 18n), 10n ** 18n), fc.nat(12))
    const near = fc.tuple(fc.integer({ min: -20, max: 20 }).map(BigInt), fc.nat(2))
    const pair = fc.tuple(fc.oneof(decimal, near), fc.oneof(decimal, near))
    fc.assert(
      fc.property(fc.array(pair, { minLength: 1_000, maxLength: 1_000 }), (batch) => {
        const wrong = batch.filter(([[a, aDecimals], [b, bDecimals]]) => {
          const difference = a * 10n ** BigInt(12 - aDecimals) - b * 10n ** BigInt(12 - bDecimals)
          const expected = difference < 0n ? -1 : difference > 0n ? 1 : 0
          return compareDecimals(plain(a, aDecimals), plain(b, bDecimals)) !== expected
        })
        expect(wrong).toEqual([])
      }),
      { numRuns: 100 },
    )
  })
})

/** Returns digits as a plain decimal, with a point before the last ones. */
function plain(digits: bigint, decimals: number): string {
  const text = String(digits < 0n ? -digits : digits).padStart(decimals + 1, '0')
  const at = text.length - decimals
  return `${digits < 0n ? '-' : ''}${text.slice(0, at)}${decimals === 0 ? '' : `.${text.slice(at)}`}`
}

/** Returns a plain decimal as an integer multiple of 10 to the power of minus `scale`. */
function asFraction(text: string, scale: number): bigint {
  const [whole = '', decimals = ''] = text.replace('-', '').split('.')
  const size = BigInt(whole + decimals.padEnd(scale, '0'))
  return text.startsWith('-') ? -size : size
}

describe('mayBeRecordedAs', () => {
  it.each([
    ['1000.5', 'JPY', ['1000.5', '1000', '1001', '1001.0']],
    ['999.4', 'KRW', ['999', '1000']],
    ['1000', 'JPY', ['1000', '1000.0']],
    ['1000.0', 'VND', ['1000']],
    ['1000.5', 'AUD', ['1000.50']],
  ])('takes %s %s for the same as %j alone', (value, currency, same) => {
    const all = ['1000.5', '1000.50', '1000', '1000.0', '1001', '1001.0', '999', '1002', '1000.6', '-1000', ...same]
    const isSame = (recorded: string) => same.some((one) => compareDecimals(one, recorded) === 0)
    for (const recorded of all)
      expect([recorded, mayBeRecordedAs({ value, currency }, recorded)]).toEqual([recorded, isSame(recorded)])
  })
})
