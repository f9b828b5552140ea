import { describe, expect, it } from 'vitest'
import { accepts, limitOf, spanOf, type PayinMethod } from '../../../../src/domain/methods/payin-method.ts'
import { payinMethod } from '../../../support/payin-method.ts'

function method(minAmount: string | null, maxAmount: string | null, currency = 'AUD'): PayinMethod {
  return payinMethod({ minAmount, maxAmount, currency })
}

describe('accepts', () => {
  it.each([
    ['10', '100', '10', true],
    ['10', '100', '10.00', true],
    ['10.00', '100', '9.99', false],
    ['10', '100', '100', true],
    ['10', '100.00', '100.01', false],
    ['10', '100', '9', false],
    ['9', '100', '10', true],
    [null, '100', '0.01', true],
    [null, '100', '1000', false],
    ['10', null, '999999999999999', true],
    ['10', null, '1', false],
    [null, null, '1', null],
  ] as const)('from %s to %s, %s: %s', (min, max, value, expected) => {
    expect(accepts(method(min, max), { value, currency: 'AUD' })).toBe(expected)
  })

  it('tells nothing of another currency', () => {
    expect(accepts(method('10', '100', 'JPY'), { value: '50', currency: 'AUD' })).toBeNull()
  })
})

describe('limitOf', () => {
  it('is an amount in the currency of the method', () => {
    expect(limitOf(method('10', null), 'minAmount')).toEqual({ value: '10', currency: 'AUD' })
    expect(limitOf(method('10', null), 'maxAmount')).toBeNull()
  })
})

describe('spanOf', () => {
  const span = (...limits: [string | null, string | null][]) => {
    const { min, max } = spanOf(limits.map(([least, most]) => method(least, most)))
    return [min?.value ?? null, max?.value ?? null]
  }

  it('reaches from the smallest to the largest amount', () => {
    expect(span(['10', '100'])).toEqual(['10', '100'])
    expect(span(['10', '100'], ['9', '99'])).toEqual(['9', '100'])
    expect(span(['9', '99'], ['10', '1000'], ['20', '30'])).toEqual(['9', '1000'])
    expect(span(['10', '100'], ['10.00', '100.00'])).toEqual(['10', '100'])
  })

  it('is open where one method is', () => {
    expect(span(['10', '100'], [null, '99'])).toEqual([null, '100'])
    expect(span([null, '99'], ['10', '100'])).toEqual([null, '100'])
    expect(span(['10', null], ['9', '99'])).toEqual(['9', null])
    expect(span(['10', '99'], [null, null], ['9', '100'])).toEqual([null, null])
  })

  it('of nothing is open', () => {
    expect(span()).toEqual([null, null])
  })
})
