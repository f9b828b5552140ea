import { expect, test } from 'vitest'
import { sumsOf } from '../../packages/pages/src/console/pieces/sums.ts'
import { plainAmount } from '../../packages/pages/src/console/pieces/typed-amount.ts'

test.each([
  ['de-DE', '100,35', '100.35'],
  ['de-DE', '1.250,50', '1250.50'],
  ['de-DE', '100.35', '100.35'],
  ['fr-FR', '1 250,50', '1250.50'],
  ['en-AU', '100.35', '100.35'],
  ['en-AU', '1,250.50', '1250.50'],
  ['en-AU', ' 1,250 ', '1250'],
  // Neither is an amount there, and the form says so.
  ['en-AU', '100,35', '100,35'],
  ['de-DE', '1,2,3', '1,2,3'],
  ['de-DE', '12.50,00', '12.50.00'],
])('an amount that is typed in %s as %s is %s', (locale, typed, plain) => {
  expect(plainAmount(typed, locale)).toBe(plain)
})

test('amounts are added up exactly, and never across currencies', () => {
  const aud = (value: string) => ({ value, currency: 'AUD', exponent: 2 })
  const amounts = [aud('0.1'), { value: '18400', currency: 'JPY', exponent: 0 }, null, aud('90071992547409.93')]
  expect(sumsOf(amounts)).toEqual([aud('90071992547410.03'), { value: '18400', currency: 'JPY', exponent: 0 }])
})
