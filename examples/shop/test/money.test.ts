import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isLess, sum, times, type Money } from '../page/format-money.ts'

const money = (value: string, currency = 'AUD', exponent = 2): Money => ({ value, currency, exponent })

describe('money of the shop', () => {
  it('is exact where floats are not', () => {
    expect(times(money('0.1'), 3)).toEqual(money('0.30'))
    expect(sum([money('0.10'), money('0.20')], money('0'))).toEqual(money('0.30'))
    expect(times(money('90071992547409.93'), 99)).toEqual(money('8917127262193583.07'))
    expect(times(money('1800', 'JPY', 0), 2)).toEqual(money('3600', 'JPY', 0))
    expect(sum([], money('5.00'))).toEqual(money('0.00'))
  })

  it('adds up as often as it is multiplied, and compares by value', () => {
    const amount = fc.record({ units: fc.bigInt({ min: 0n, max: 10n ** 18n }), exponent: fc.constantFrom(0, 2, 6) })
    fc.assert(
      fc.property(amount, fc.integer({ min: 0, max: 99 }), ({ units, exponent }, count) => {
        const digits = units.toString().padStart(exponent + 1, '0')
        const value = exponent === 0 ? digits : `${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`
        const one = money(value, 'XXX', exponent)
        const all = times(one, count)
        expect(BigInt(all.value.replace('.', ''))).toBe(units * BigInt(count))
        expect(sum(Array<Money>(count).fill(one), one)).toEqual(all)
        expect(isLess(one, sum([one, times(one, count)], one))).toBe(units * BigInt(count) > 0n)
      }),
    )
  })
})
