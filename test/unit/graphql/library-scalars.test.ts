import * as fc from 'fast-check'
import { type GraphQLScalarType, parseValue } from 'graphql'
import { GraphQLDateTimeISO, GraphQLJSONObject, GraphQLLocalDate } from 'graphql-scalars'
import { describe, expect, it } from 'vitest'
import { createScalars } from '../../../src/graphql/schema/scalars.ts'

const { DateTime, LocalDate, JSONObject } = createScalars({ production: true })

/** Returns the results of the three methods of a scalar for a value; `refused` if one throws. */
function results(scalar: GraphQLScalarType, value: unknown): unknown[] {
  const literal = typeof value === 'string' ? JSON.stringify(value) : '7'
  return [
    () => scalar.serialize(value),
    () => scalar.parseValue(value),
    () => scalar.parseLiteral(parseValue(literal, { noLocation: true }), {}),
  ].map((read) => {
    try {
      return read()
    } catch {
      return 'refused'
    }
  })
}

const NO_TEXTS = [null, undefined, true, {}, [], ['2026-01-31'], Number.NaN, new Date(Number.NaN), new Date(0)]
const digits = (length: number) => fc.nat({ max: 10 ** length - 1 }).map((value) => String(value).padStart(length, '0'))
const dateText = fc.tuple(digits(4), digits(2), digits(2)).map((parts) => parts.join('-'))
const nearDate = fc.oneof(
  dateText,
  fc
    .tuple(fc.integer({ min: 0, max: 9999 }), fc.integer({ min: 0, max: 13 }), fc.integer({ min: 0, max: 32 }))
    .map(([year, month, day]) =>
      [String(year).padStart(4, '0'), ...[month, day].map((n) => String(n).padStart(2, '0'))].join('-'),
    ),
  fc.constantFrom(
    '2024-02-29',
    '2023-02-29',
    '1900-02-29',
    '2000-02-29',
    '0000-01-01',
    '2026-1-01',
    ' 2026-01-01',
    '2026-04-31',
  ),
)
const nearTime = fc.oneof(
  fc.stringMatching(/^[T t][012]\d:[0-6]\d:[0-6]\d(\.\d{1,12})?([Zz]|[+|-][012]\d:[0-6]\d)?$/),
  fc.constantFrom(
    'T23:59:60Z',
    'T24:00:00Z',
    'T00:00:00.Z',
    'T00:00:00+24:00',
    'T00:00:00-00:00',
    'T00:00Z',
    'T00:00:00Z\n',
    '',
  ),
)

/** Integers whose last digits are lost when they are read are refused here, and not by the library. */
const withExactNumbers = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_name, part: unknown) =>
    Number.isInteger(part) && !Number.isSafeInteger(part) ? 0 : part,
  )

describe('scalars give what those of graphql-scalars give', () => {
  it('DateTime', () => {
    fc.assert(
      fc.property(nearDate, nearTime, (date, time) => {
        expect(results(DateTime, date + time)).toEqual(results(GraphQLDateTimeISO, date + time))
      }),
      { numRuns: 2_000 },
    )
    for (const value of NO_TEXTS) expect(results(DateTime, value)).toEqual(results(GraphQLDateTimeISO, value))
  })

  it('LocalDate', () => {
    fc.assert(
      fc.property(nearDate, (date) => {
        expect(results(LocalDate, date)).toEqual(results(GraphQLLocalDate, date))
      }),
      { numRuns: 2_000 },
    )
    for (const value of NO_TEXTS) expect(results(LocalDate, value)).toEqual(results(GraphQLLocalDate, value))
  })

  it('JSONObject', () => {
    fc.assert(
      fc.property(fc.jsonValue().map(withExactNumbers), (value) => {
        expect(results(JSONObject, value)).toEqual(results(GraphQLJSONObject, value))
      }),
    )
    const literals = [
      '{}',
      '{ a: 1, b: -2.5e3, c: "x", d: true, e: null, f: [1, { g: [] }], h: $known, i: $unknown, __proto__: { k: 1 } }',
    ]
    for (const literal of literals) {
      const read = (scalar: GraphQLScalarType) => scalar.parseLiteral(parseValue(literal), { known: [1] })
      expect(read(JSONObject)).toStrictEqual(read(GraphQLJSONObject))
    }
    for (const literal of ['[]', '1', '"{}"', 'null', 'ENUM'])
      for (const scalar of [JSONObject, GraphQLJSONObject])
        expect(() => scalar.parseLiteral(parseValue(literal), {}) as unknown).toThrow(/JSONObject/)
  })
})
