import * as fc from 'fast-check'
import { ExactNumber, parseExactJson, stringifyExactJson } from 'payments-subgraph-lib/exact-json'
import { describe, expect, it } from 'vitest'
import { amountProblem, compareDecimals } from '../../../../src/domain/money/money.ts'
import {
  decimalFromWire,
  decimalToWire,
  instantFromWire,
  safeUrl,
  textFrom,
  usableUuid,
} from '../../../../src/upstream/wire/values/readers.ts'

describe('money on the wire', () => {
  it.each([
    [new ExactNumber('1e3'), '1000'],
    [new ExactNumber('125.50'), '125.50'],
    [new ExactNumber('-0'), '0'],
    [new ExactNumber('0.30000000000000004'), '0.30000000000000004'],
    ['100.0', '100.0'],
    [' 7 ', '7'],
    ['+1', null],
    ['.5', null],
    ['5.', null],
    ['١٢', null],
    ['NaN', null],
    ['', null],
    [true, null],
    [null, null],
    [undefined, null],
    [12, null],
    [[], null],
    [{}, null],
  ])('reads %o as %s', (json, expected) => {
    expect(decimalFromWire(json)).toBe(expected)
  })

  it.each([...'+1 .5 5. 01 1e3 -1 NaN ١٢ 1234567890123456.7 9007199254740993 0.12345678901234567'.split(' '), ''])(
    'refuses to write %s',
    (value) => {
      expect(() => decimalToWire(value)).toThrow(RangeError)
    },
  )

  it('writes every amount that we accept as plain digits that any reader takes for the same value', () => {
    const amount = fc
      .tuple(fc.bigInt(0n, 999_999_999_999_999n), fc.integer({ min: 0, max: 6 }), fc.bigInt(0n, 999_999n))
      .map(([whole, places, part]) =>
        places === 0 ? `${whole}` : `${whole}.${`${part}`.padStart(6, '0').slice(-places)}`,
      )
      .filter((value) => amountProblem({ value, currency: 'USDC' }) === null)
    fc.assert(
      fc.property(amount, (value) => {
        const text = stringifyExactJson({ amount: decimalToWire(value) })
        expect(text).toBe(`{"amount":${value}}`)
        const json = parseExactJson(text)
        expect(decimalFromWire((json as { amount: ExactNumber }).amount)).toBe(value)
        const throughFloat = decimalFromWire(String((JSON.parse(text) as { amount: number }).amount)) ?? ''
        expect(compareDecimals(throughFloat, value)).toBe(0)
      }),
      { numRuns: 5_000 },
    )
  })
})

describe('instants', () => {
  it.each([
    ['2026-12-31T00:00:00.000+0000', '2026-12-31T00:00:00.000Z'],
    ['2025-10-02T19:05:03.971Z', '2025-10-02T19:05:03.971Z'],
    ['2025-10-02T19:05:03Z', '2025-10-02T19:05:03.000Z'],
    ['2025-10-02T19:05:03.971482Z', '2025-10-02T19:05:03.971Z'],
    ['2025-10-02T19:05:03.5Z', '2025-10-02T19:05:03.500Z'],
    ['2025-10-02T19:05:03+10:00', '2025-10-02T09:05:03.000Z'],
    ['2025-10-02T19:05:03-0330', '2025-10-02T22:35:03.000Z'],
    ['2025-10-02T19:05:03', '2025-10-02T19:05:03.000Z'],
    ['2025-10-02 19:05:03 UTC', null],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
    ['2025-02-29T00:00:00Z', null],
    ['2025-13-01T00:00:00Z', null],
    ['2025-01-01T24:00:00Z', null],
    ['2025-01-01T00:00:00+99:00', null],
    ['0000-01-01T00:00:00+01:00', null],
    ['31/12/26', null],
    ['', null],
    [null, null],
    [undefined, null],
    [new ExactNumber('1735689600'), null],
    ['1735689600', null],
  ])('reads %o as %s', (json, expected) => {
    expect(instantFromWire(json)).toBe(expected)
  })
})

describe('texts, uuids and addresses', () => {
  it.each([
    [' Jo ', 255, 'Jo'],
    ['', 255, null],
    [' \u0000 ', 255, null],
    ['a\u0000b', 255, 'ab'],
    ['abcdef', 3, 'abc'],
    ['\ud83d', 255, '\ufffd'],
    [new ExactNumber('1'), 255, null],
  ])('reads %o within %i as %o', (json, length, expected) => {
    expect(textFrom(json, length)).toBe(expected)
  })

  it.each([
    ['VMMAOTFQ', true],
    ['a-b_c', true],
    ['a'.repeat(64), true],
    ['a'.repeat(65), false],
    ['', false],
    ['../../v1', false],
    ['a%2Fb', false],
    ['a b', false],
    ['a\n', false],
    [new ExactNumber('1'), false],
  ])('takes %o as a uuid: %s', (json, usable) => {
    expect(usableUuid(json)).toBe(usable ? json : null)
  })

  it.each([
    ['https://checkout.test/x', true],
    ['http://127.0.0.1:4010/pay', true],
    ['http://localhost:4010/pay', true],
    ['http://[::1]:4010/pay', true],
    ['http://checkout.test/x', false],
    ['http://127.0.0.1.evil.test/', false],
    ['https://user:pass@checkout.test/', false],
    ['javascript:alert(1)', false],
    ['//checkout.test', false],
    ['https://checkout.test/a\nb', false],
    [' https://checkout.test/', false],
    ['', false],
    [`https://checkout.test/${'x'.repeat(9_000)}`, false],
  ])('sends a customer to %s: %s', (address, safe) => {
    expect(safeUrl(address)).toBe(safe ? address : null)
  })
})
