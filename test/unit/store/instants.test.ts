import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fromIso, toIso } from '../../../src/store/rows/table.ts'

/** The last instant of a `Date` in milliseconds since the epoch. The first one is its negative. */
const LIMIT = 8.64e15

describe('an instant of a column', () => {
  it('is written as Date writes it', () => {
    fc.assert(
      fc.property(fc.integer({ min: -LIMIT, max: LIMIT }), (milliseconds) => {
        expect(toIso(milliseconds)).toBe(new Date(milliseconds).toISOString())
        expect(fromIso(toIso(milliseconds))).toBe(milliseconds)
      }),
    )
  })

  it.each([
    0,
    -1,
    86_399_999,
    86_400_000,
    Date.UTC(2028, 1, 29, 23, 59, 59, 999),
    Date.UTC(9999, 11, 31),
    LIMIT,
    -LIMIT,
  ])('is written as Date writes it at the edge %d', (milliseconds) =>
    expect(toIso(milliseconds)).toBe(new Date(milliseconds).toISOString()),
  )

  it.each([Number.NaN, Infinity, LIMIT + 86_400_000])('is none at %d', (milliseconds) => {
    expect(() => toIso(milliseconds)).toThrow(RangeError)
  })
})
