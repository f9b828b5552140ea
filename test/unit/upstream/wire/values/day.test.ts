import { describe, expect, it } from 'vitest'
import { dayFromWire, dayToWire, instantToWire } from '../../../../../src/upstream/wire/values/readers.ts'

describe('days', () => {
  it.each([
    ['15/07/24', '2024-07-15'],
    [' 29/02/24 ', '2024-02-29'],
    ['15/07/2024', '2024-07-15'],
    ['2024-07-15', '2024-07-15'],
    ['29/02/23', null],
    ['00/01/24', null],
    ['01/13/24', null],
    ['7/7/24', null],
    ['2024-07-15T00:00:00Z', null],
    ['', null],
    [240715, null],
    [null, null],
  ])('reads %o as %s', (json, day) => {
    expect(dayFromWire(json)).toBe(day)
  })

  it.each([
    ['2024-07-15', '15/07/24'],
    ['2099-12-31', '31/12/99'],
    ['2000-02-29', '29/02/00'],
    ['1999-12-31', null],
    ['2100-01-01', null],
    ['2023-02-29', null],
    ['15/07/24', null],
    ['', null],
  ])('writes %s as %s', (day, wire) => {
    expect(dayToWire(day)).toBe(wire)
  })
})

describe('instants in a request', () => {
  it.each([
    ['2026-12-31T23:59:59.000Z', '2026-12-31T23:59:59', '2026-12-31T23:59:59'],
    ['2026-12-31T23:59:59.001Z', '2026-12-31T23:59:59', '2027-01-01T00:00:00'],
    ['2026-12-31T23:59:59.999+10:00', '2026-12-31T13:59:59', '2026-12-31T14:00:00'],
  ])('%s lies between %s and %s', (instant, before, after) => {
    expect(instantToWire(new Date(instant))).toBe(before)
    expect(instantToWire(new Date(instant), true)).toBe(after)
  })

  it('never come from an invalid date', () => {
    expect(() => instantToWire(new Date('never'))).toThrow(RangeError)
  })
})
