import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { amountProblem, decimalFromText } from '../../src/domain/money/money.ts'
import { createScalars } from '../../src/graphql/schema/scalars.ts'
import { parseExactJson, stringifyExactJson } from '../../src/lib/exact-json.ts'
import { decimalFromWire, decimalToWire } from '../../src/upstream/wire/values/readers.ts'
import { anyAmount, NO_AMOUNTS, seeded } from './decimals.ts'
import { rounds } from './rounds.ts'

const { Decimal } = createScalars({ production: true })
const BATCH = 10_000

type Way = { readonly wire: string; readonly back: unknown; readonly float: number }

/** Converts a client's variable to the wire format, and that text to a client's answer. */
function thereAndBack(value: string): Way {
  const read = Decimal.parseValue(value)
  const wire = stringifyExactJson({ amount: decimalToWire(read) })
  const answer = parseExactJson(wire) as { amount: unknown }
  return {
    wire,
    back: Decimal.serialize(decimalFromWire(answer.amount)),
    float: (JSON.parse(wire) as { amount: number }).amount,
  }
}

// promise(money): Random amounts keep their digits through input, storage and output.
describe('an amount of up to 15 digits', () => {
  it('goes to the wire and comes back with the very same digits, and means the same to a reader of floats', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const next = seeded(seed)
        const wrong: unknown[] = []
        for (let count = 0; count < BATCH; count++) {
          const value = anyAmount(next, 6)
          const { wire, back, float } = thereAndBack(value)
          const exact =
            amountProblem({ value, currency: 'USDC' }) === null &&
            wire === `{"amount":${value}}` &&
            back === value &&
            Number(value) === float &&
            float.toFixed(value.split('.')[1]?.length ?? 0) === value
          if (!exact) wrong.push({ value, wire, back })
        }
        expect(wrong.slice(0, 5)).toEqual([])
      }),
      { numRuns: rounds({ few: 10, many: 100 }), endOnFailure: true },
    )
  })

  it('read as a text that the payments API wrote is the same as read as a number', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const value = anyAmount(seeded(seed), 6)
        expect(decimalFromWire(parseExactJson(value))).toBe(value)
        expect(decimalFromWire(parseExactJson(`"${value}"`))).toBe(value)
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('a text of digits, points, signs and letters', () => {
  it('is an amount exactly when a reader without regular expressions takes it for one', () => {
    const letters = '00000111123456789.....eE+-_, \n１٢x'
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const next = seeded(seed)
        const wrong: string[] = []
        for (let count = 0; count < BATCH; count++) {
          let value = ''
          for (let length = next(19); length > 0; length--)
            value += letters[next(next(4) === 0 ? letters.length : 19)] ?? ''
          if ((amountProblem({ value, currency: 'USDC' }) === null) !== isAmount(value)) wrong.push(value)
        }
        expect(wrong.slice(0, 5)).toEqual([])
      }),
      { numRuns: rounds({ few: 10, many: 100 }), endOnFailure: true },
    )
  })

  it.each(NO_AMOUNTS.map((value) => [JSON.stringify(value), value]))('such as %s is refused', (_shown, value) => {
    expect(isAmount(value)).toBe(false)
    expect(amountProblem({ value, currency: 'USDC' })).not.toBeNull()
  })

  it.each([15, 16, 17])('of %d digits is an amount up to 15', (length) => {
    for (let point = 0; point < 6; point++) {
      const digits = '9'.repeat(length)
      const value = point === 0 ? digits : `${digits.slice(0, -point)}.${digits.slice(-point)}`
      expect([value, amountProblem({ value, currency: 'USDC' }) === null]).toEqual([value, length <= 15])
    }
  })

  it.each(['9', '0', '0.', '1.0', '١', '-', 'e', ' '])('of a megabyte of %j is refused', (piece) => {
    const value = piece.repeat(1_000_000 / piece.length)
    expect(amountProblem({ value, currency: 'AUD' })).not.toBeNull()
    expect([decimalFromText(value), decimalFromText(`1${value}e1`), decimalFromWire(value)]).toEqual([null, null, null])
    expect(() => Decimal.parseValue(value)).toThrow('Decimal must be')
  })
})

/** The rules of an amount, implemented character by character. */
function isAmount(text: string): boolean {
  const [whole = '', decimals, ...more] = text.split('.')
  const isDigits = (part: string) => part !== '' && part.split('').every((letter) => letter >= '0' && letter <= '9')
  if (more.length > 0 || !isDigits(whole) || (decimals !== undefined && !isDigits(decimals))) return false
  if (whole.length > 1 && whole.startsWith('0')) return false
  const all = (whole + (decimals ?? '')).split('')
  const first = all.findIndex((digit) => digit !== '0')
  return first !== -1 && all.length - first <= 15 && (decimals ?? '').length <= 6
}
