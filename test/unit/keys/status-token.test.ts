import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { issueStatusToken, readStatusToken } from '../../../src/keys/derived-secrets.ts'
import { bitFlips, ringOf } from './rings.ts'

const ring = ringOf('a')
const expiresAt = new Date('2030-01-01T00:00:00.000Z')
const before = new Date(expiresAt.getTime() - 1)
const token = issueStatusToken(ring, { subjectId: 'plink_0123456789', expiresAt })

describe('status token', () => {
  it('carries its subject and expiry in characters that need no encoding', () => {
    const subjects = fc.string({ minLength: 1, maxLength: 32, unit: 'grapheme-ascii' })
    fc.assert(
      fc.property(
        subjects,
        fc.date({ min: new Date(1), max: new Date(2 ** 48 - 1), noInvalidDate: true }),
        (subjectId, date) => {
          const made = issueStatusToken(ring, { subjectId, expiresAt: date })
          expect(made).toMatch(/^st1\.[\w.-]+$/)
          expect(readStatusToken(ring, made, new Date(date.getTime() - 1))).toEqual({ subjectId, expiresAt: date })
          expect(readStatusToken(ring, made, date)).toBeNull()
        },
      ),
    )
  })

  it.each([
    '',
    'st1',
    'st1...',
    `${token} `,
    `${token}=`,
    token.replace('st1', 'st2'),
    token.toUpperCase(),
    'x'.repeat(100_000),
  ])('refuses %#', (value) => {
    expect(readStatusToken(ring, value, before)).toBeNull()
  })

  it('refuses every flipped bit, also those that decode to the same bytes', () => {
    expect(bitFlips(token).filter((value) => readStatusToken(ring, value, before) !== null)).toEqual([])
  })

  it('refuses a body with the signature of another', () => {
    const other = issueStatusToken(ring, { subjectId: 'plink_0123456780', expiresAt })
    const swapped = [...other.split('.').slice(0, 3), token.split('.')[3]].join('.')
    expect(readStatusToken(ring, swapped, before)).toBeNull()
  })

  it('outlives a change of keys while the old key is live', () => {
    expect(readStatusToken(ringOf('b', 'a'), token, before)).toEqual({ subjectId: 'plink_0123456789', expiresAt })
    expect(readStatusToken(ringOf('b'), token, before)).toBeNull()
  })

  it.each([
    ['', expiresAt],
    ['x'.repeat(129), expiresAt],
    ['x', new Date(Number.NaN)],
    ['x', new Date(-1)],
    ['x', new Date(2 ** 48)],
  ])('is not made for %j until %o', (subjectId, date) => {
    expect(() => issueStatusToken(ring, { subjectId, expiresAt: date })).toThrow(RangeError)
  })
})
