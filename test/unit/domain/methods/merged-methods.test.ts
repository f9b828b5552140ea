import { describe, expect, it } from 'vitest'
import { mergedMethods, NO_FLAGS, type PayinMethod } from '../../../../src/domain/methods/payin-method.ts'
import { payinMethod } from '../../../support/payin-method.ts'

const method = (code: string, over: Partial<PayinMethod> = {}) => payinMethod({ code, ...over })
const direct = (code: string, over: Partial<PayinMethod> = {}) => method(code, { usableFor: ['DIRECT'], ...over })

describe('mergedMethods', () => {
  it('keeps the order of the first list, then that of the second', () => {
    const merged = mergedMethods([
      [method('b'), method('a')],
      [direct('d'), direct('a'), direct('c')],
    ])
    expect(merged.map(({ code, usableFor }) => [code, usableFor])).toEqual([
      ['b', ['LINK']],
      ['a', ['LINK', 'DIRECT']],
      ['d', ['DIRECT']],
      ['c', ['DIRECT']],
    ])
  })

  it('takes from the second list only what the first one does not say', () => {
    const flags = { ...NO_FLAGS, refundable: false, cancellable: true }
    const [merged] = mergedMethods([
      [method('a', { name: 'Card', minAmount: '1', cardBrands: [], flags: { ...NO_FLAGS, refundable: true } })],
      [direct('a', { name: 'Other', minAmount: '2', maxAmount: '9', cardBrands: ['visa'], symbol: '$', flags })],
    ])
    expect(merged).toMatchObject({
      name: 'Card',
      minAmount: '1',
      maxAmount: '9',
      cardBrands: [],
      symbol: '$',
      flags: { refundable: true, cancellable: true, requiresContact: null },
    })
  })

  it('takes no limit in another currency', () => {
    const [merged] = mergedMethods([[method('a')], [direct('a', { currency: 'NZD', minAmount: '2', maxAmount: '9' })]])
    expect(merged).toMatchObject({ currency: 'AUD', minAmount: null, maxAmount: null })
  })

  it('changes no method of the lists', () => {
    const one = Object.freeze(method('a'))
    const other = Object.freeze(direct('a', { name: 'Card' }))
    expect(mergedMethods([[one], [other]])).toHaveLength(1)
    expect([one.name, one.usableFor, other.usableFor]).toEqual([null, ['LINK'], ['DIRECT']])
  })
})
