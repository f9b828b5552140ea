import { assert, bigInt, constantFrom, nat, property, record, stringMatching } from 'fast-check'
import { expect, it } from 'vitest'
import { formatAmount } from '../src/index.ts'

it.each([
  [{ value: '1250.5', currency: 'AUD', exponent: 2 }, 'en-AU', '$1,250.50'],
  [{ value: '0', currency: 'AUD', exponent: 2 }, 'en-AU', '$0.00'],
  [{ value: '1250', currency: 'JPY', exponent: 0 }, 'ja', '¥1,250'],
  [{ value: '1250.00', currency: 'JPY', exponent: 0 }, 'en', '¥1,250'],
  [{ value: '1250.5', currency: 'JPY', exponent: 0 }, 'en', '¥1,250.5'],
  [{ value: '25000000', currency: 'VND' }, 'de', '25.000.000 ₫'],
  [{ value: '3.5', currency: 'USDC', exponent: 6 }, 'en', 'USDC 3.500000'],
  [{ value: '3.5', currency: 'USDC', exponent: 2 }, 'de', '3,50 USDC'],
  [{ value: '12345678901234567890123.45', currency: 'USD', exponent: 2 }, 'en', '$12,345,678,901,234,567,890,123.45'],
  [{ value: '-3', currency: 'USD', exponent: 2 }, 'en', '-$3.00'],
  [{ value: '1250.5', currency: 'AUD' }, 'en-AU', '$1,250.50'],
  [{ value: 'much', currency: 'AUD' }, 'en-AU', 'much AUD'],
  [{ value: '1e3', currency: 'AUD' }, 'en-AU', '1e3 AUD'],
])('%j in %s is %s', (amount, locale, expected) => {
  expect(
    formatAmount(amount, locale)
      .replaceAll(/[\u00a0\u202f]/g, ' ')
      .replace('\uffe5', '\u00a5'),
  ).toBe(expected)
})

const LOCALES = ['en', 'en-AU', 'de', 'de-CH', 'ja', 'ar', 'ar-EG', 'fa', 'hi', 'fr', 'vi', 'bn'] as const
const CURRENCIES = ['AUD', 'JPY', 'KRW', 'VND', 'XAF', 'XOF', 'USDC', 'INR', 'KHR', 'GHS', 'MWK'] as const

it('shows every digit, and none besides', () => {
  const digits = bigInt({ min: 0n, max: 10n ** 30n }).map(String)
  const decimals = stringMatching(/^\d{0,12}$/)
  assert(
    property(
      digits,
      decimals,
      record({ currency: constantFrom(...CURRENCIES), exponent: nat({ max: 6 }) }),
      constantFrom(...LOCALES),
      (whole, fraction, { currency, exponent }, locale) => {
        const value = fraction === '' ? whole : `${whole}.${fraction}`
        const expected = whole + fraction.replace(/0+$/, '').padEnd(exponent, '0')
        expect(digitsOf(formatAmount({ value, currency, exponent }, locale))).toBe(expected)
      },
    ),
    { numRuns: 500 },
  )
})

/** Returns the digits of a text in any script, as ASCII. */
function digitsOf(text: string): string {
  return text.replaceAll(/./gu, (char) => (/\p{Nd}/u.test(char) ? String(valueOf(char)) : ''))
}

/** Returns the value of a digit: a script's ten digits are consecutive code points, and no digit precedes the first one. */
function valueOf(char: string): number {
  let value = 0
  for (let code = (char.codePointAt(0) ?? 0) - 1; /\p{Nd}/u.test(String.fromCodePoint(code)) && value < 9; code--)
    value++
  return value
}
