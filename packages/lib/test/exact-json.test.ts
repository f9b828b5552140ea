import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ExactJson, ExactNumber, parseExactJson, stringifyExactJson, toPlainJson } from '../src/exact-json.ts'

const textOf = (json: ExactJson | undefined) => (json instanceof ExactNumber ? json.text : null)

describe('parseExactJson', () => {
  it.each(['0', '-0', '1.0', '1250.50', '0.30000000000000004', '9007199254740993', '1e3', '1E-7', '1e400', '-1e400'])(
    'keeps the digits of %s',
    (digits) => {
      expect(textOf(parseExactJson(digits))).toBe(digits)
      expect(stringifyExactJson(parseExactJson(`{"a":[${digits}]}`))).toBe(`{"a":[${digits}]}`)
    },
  )

  it('keeps the digits of 100,000 numbers', () => {
    const number = fc
      .tuple(
        fc.bigInt(-(10n ** 25n), 10n ** 25n),
        fc.option(fc.bigInt(0n, 10n ** 20n)),
        fc.integer({ min: -400, max: 400 }),
      )
      .map(([whole, decimals, exponent]) => {
        const point = decimals === null ? '' : `.${decimals}`
        return `${whole}${point}${exponent % 2 === 0 ? '' : `e${exponent}`}`
      })
    fc.assert(
      fc.property(fc.array(number, { minLength: 1_000, maxLength: 1_000 }), (numbers) => {
        const text = `[${numbers.join(',')}]`
        expect(stringifyExactJson(parseExactJson(text))).toBe(text)
      }),
      { numRuns: 100 },
    )
  })

  it('gives everything else as JSON.parse does', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(JSON.parse(stringifyExactJson(parseExactJson(text)))).toEqual(JSON.parse(text))
      }),
      { numRuns: 500 },
    )
  })

  it('takes the last of two equal keys', () => {
    expect(stringifyExactJson(parseExactJson('{"amount":1,"amount":2.50}'))).toBe('{"amount":2.50}')
  })

  it('lets no key reach a prototype', () => {
    const json = parseExactJson('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}')
    expect(Object.hasOwn(json as object, '__proto__')).toBe(true)
    expect(Object.getPrototypeOf(json)).toBe(Object.prototype)
    expect(Object.getPrototypeOf(toPlainJson(json))).toBe(Object.prototype)
    expect('polluted' in {}).toBe(false)
  })

  it.each([100, 10_000, 100_000])('reads %d levels, or throws a RangeError', (levels) => {
    for (const text of ['['.repeat(levels) + ']'.repeat(levels), '{"a":'.repeat(levels) + '1' + '}'.repeat(levels)]) {
      const outcome = outcomeOf(() => parseExactJson(text))
      expect(levels === 100 ? ['read'] : ['read', 'RangeError']).toContain(outcome)
    }
  })

  it.each(['', '{', '[1,]', '01', '+1', '.5', '5.', 'NaN', "{'a':1}", '{"a":1}x', '\uFEFF{}', '"\n"', '"\0"'])(
    'throws a SyntaxError for %j',
    (text) => expect(() => parseExactJson(text)).toThrow(SyntaxError),
  )
})

describe('toPlainJson', () => {
  it.each([
    ['1', 1],
    ['-3', -3],
    ['1.5', 1.5],
    ['9007199254740991', 9_007_199_254_740_991],
    ['9007199254740993', '9007199254740993'],
    ['1250.50', '1250.50'],
    ['0.30000000000000004', 0.300_000_000_000_000_04],
    ['0.1000000000000000055', '0.1000000000000000055'],
    ['1e400', '1e400'],
  ])('gives %s as %j', (text, plain) => {
    expect(toPlainJson(parseExactJson(`{"a":[${text}]}`))).toEqual({ a: [plain] })
  })

  it('leaves everything else alone', () => {
    const json = { a: null, b: [true, 'x'], c: { d: '' } }
    expect(toPlainJson(parseExactJson(JSON.stringify(json)))).toEqual(json)
  })
})

/** Returns the class name of the error; `read` if there is none. */
function outcomeOf(work: () => unknown): string {
  try {
    work()
    return 'read'
  } catch (error) {
    return error instanceof Error ? error.constructor.name : 'no error'
  }
}
