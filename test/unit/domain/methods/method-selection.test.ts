import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { createMethodSelector } from '../../../../src/domain/methods/method-selection.ts'
import { accepts } from '../../../../src/domain/methods/payin-method.ts'
import { payinMethod } from '../../../support/payin-method.ts'

const ALL = { usableFor: null, kinds: null, currency: null }
const listOf = (...limits: readonly (readonly [string | null, string | null])[]) =>
  Object.freeze(
    limits.map(([minAmount, maxAmount], index) =>
      payinMethod({ code: `method_${index}`, currency: 'AUD', minAmount, maxAmount }),
    ),
  )

it('selects for every amount those whose limits allow it, whichever amounts came before', () => {
  const decimal = fc
    .tuple(fc.nat(12), fc.constantFrom('', '.0', '.5', '.50', '.05'))
    .map(([whole, part]) => `${whole}${part}`)
  const limits = fc.tuple(fc.option(decimal), fc.option(decimal))
  fc.assert(
    fc.property(fc.array(limits, { maxLength: 8 }), fc.array(decimal, { minLength: 1 }), (given, values) => {
      const methods = listOf(...given)
      const { accepting } = createMethodSelector()(methods, ALL)
      for (const value of values)
        expect(accepting(value)).toEqual(
          methods.filter((method) => accepts(method, { value, currency: 'AUD' }) !== false),
        )
    }),
  )
})

it('gives the same frozen array for all amounts between two limits', () => {
  const { accepting, unlimited } = createMethodSelector()(listOf(['1', '100'], [null, null], ['50', null]), ALL)
  expect(accepting('2')).toBe(accepting('49.99'))
  expect(accepting('50')).not.toBe(accepting('49.99'))
  expect(Object.isFrozen(accepting('2'))).toBe(true)
  expect(unlimited.map(({ code }) => code)).toEqual(['method_1'])
})

it('selects by use, kind and currency, and nothing by an empty filter', () => {
  const select = createMethodSelector()
  const methods = Object.freeze([
    payinMethod({ code: 'a', currency: 'AUD', kind: 'CARD', usableFor: ['LINK'] }),
    payinMethod({ code: 'b', currency: 'NZD', kind: 'CARD', usableFor: ['DIRECT'] }),
    payinMethod({ code: 'c', currency: 'AUD', kind: 'QR', usableFor: ['LINK', 'DIRECT'] }),
  ])
  const codes = (filter: Partial<Parameters<typeof select>[1]>) =>
    select(methods, { ...ALL, ...filter }).methods.map(({ code }) => code)
  expect(codes({})).toEqual(['a', 'b', 'c'])
  expect(codes({ usableFor: ['DIRECT'] })).toEqual(['b', 'c'])
  expect(codes({ kinds: ['CARD'], currency: 'AUD' })).toEqual(['a'])
  expect([codes({ usableFor: [] }), codes({ kinds: [] })]).toEqual([[], []])
  expect(select(methods, ALL)).toBe(select(methods, ALL))
})

it('has one selection for each set of filters, and keeps a bounded number of arrays', () => {
  const select = createMethodSelector()
  const lists = Array.from({ length: 1_000 }, () => listOf(['1', '2']))
  const [first = []] = lists
  const selection = select(first, { ...ALL, kinds: ['QR', 'CARD'] })
  expect(select(first, { ...ALL, kinds: ['CARD', 'QR', 'CARD'] })).toBe(selection)
  for (const list of lists)
    expect(['0.5', '1', '1.5', '2', '3'].map((value) => select(list, ALL).accepting(value).length)).toEqual([
      0, 1, 1, 1, 0,
    ])
  expect(select(first, { ...ALL, kinds: ['QR', 'CARD'] })).not.toBe(selection)
})
