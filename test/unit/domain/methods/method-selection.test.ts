import { expect, it } from 'vitest'
import { type MethodFilter, selectMethods } from '../../../../src/domain/methods/method-selection.ts'
import { payinMethod } from '../../../support/payin-method.ts'

it('selects by use, kind and currency, and nothing by an empty filter', () => {
  const methods = [
    payinMethod({ code: 'a', currency: 'AUD', kind: 'CARD', usableFor: ['LINK'] }),
    payinMethod({ code: 'b', currency: 'NZD', kind: 'CARD', usableFor: ['DIRECT'] }),
    payinMethod({ code: 'c', currency: 'AUD', kind: 'QR', usableFor: ['LINK', 'DIRECT'] }),
  ]
  const codes = (filter: Partial<MethodFilter>) =>
    selectMethods(methods, { usableFor: null, kinds: null, currency: null, ...filter }).map(({ code }) => code)
  expect(codes({})).toEqual(['a', 'b', 'c'])
  expect(codes({ usableFor: ['DIRECT'] })).toEqual(['b', 'c'])
  expect(codes({ kinds: ['CARD'], currency: 'AUD' })).toEqual(['a'])
  expect([codes({ usableFor: [] }), codes({ kinds: [] })]).toEqual([[], []])
})
