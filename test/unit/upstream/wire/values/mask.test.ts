import * as fc from 'fast-check'
import { ExactNumber } from 'payments-subgraph-lib/exact-json'
import { describe, expect, it } from 'vitest'
import { maskedAlias, maskedNumber } from '../../../../../src/upstream/wire/values/readers.ts'

describe('maskedNumber', () => {
  it.each([
    ['123456789', '***789'],
    ['1234 5678', '***678'],
    ['12-3456-7', '***567'],
    [new ExactNumber('123456789'), '***789'],
    ['*****6789', '***789'],
    ['12345', '***'],
    ['789', '***'],
    ['ABCDEFGH', '***'],
    ['', null],
    [' - ', null],
    [null, null],
    [{}, null],
  ])('keeps of %o no more than %s', (json, masked) => {
    expect(maskedNumber(json)).toBe(masked)
  })
})

describe('maskedAlias', () => {
  it.each([
    ['jo@payer.test', 'j***@payer.test'],
    [' jo@payer.test ', 'j***@payer.test'],
    ['j@payer.test', '***@payer.test'],
    ['@payer.test', '***@payer.test'],
    ['jo@payer@home.test', 'j***@home.test'],
    ['"jo@x"@payer.test', '***@payer.test'],
    ['jo@payer test', '***'],
    ['jo@', '***'],
    [`${'j'.repeat(400)}@payer.test`, '***'],
    ['+61-412345678', '***678'],
    ['51 824 753 556', '***556'],
    ['jo.payer', '***'],
    [new ExactNumber('51824753556'), '***556'],
    ['', null],
    [undefined, null],
  ])('keeps of %o no more than %s', (json, masked) => {
    expect(maskedAlias(json)).toBe(masked)
  })

  it('never keeps four digits of a number in a row, or two letters of an address before its @', () => {
    const digits = fc.stringMatching(/^[0-9]{4,40}$/)
    const local = fc.stringMatching(/^[a-z0-9.+"@ -]{2,40}$/)
    fc.assert(
      fc.property(digits, local, (number, name) => {
        expect(maskedAlias(number)).not.toMatch(/\d{4}/)
        expect(maskedAlias(`${name}@payer.test`)).toMatch(/^[a-z0-9]?\*{3}@payer\.test$/)
      }),
    )
  })
})
