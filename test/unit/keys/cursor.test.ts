import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createCursorCodec } from '../../../src/keys/cursor.ts'
import type { CursorKind, PlaceKind } from '../../../src/keys/cursor.ts'
import { bitFlips } from './rings.ts'

const KINDS: CursorKind[] = ['log', 'links', 'payments', 'deliveries', 'agreements']
const PLACES: PlaceKind[] = ['links', 'payments', 'agreements']
const codec = createCursorCodec('log-1')
const positions = fc.maxSafeNat()
const kinds = fc.constantFrom(...KINDS)

describe('cursors', () => {
  it.each([0, 1, 2 ** 32 - 1, 2 ** 32, Number.MAX_SAFE_INTEGER])('reach position %d', (position) => {
    expect(codec.decode('log', codec.encode('log', position))).toBe(position)
  })

  it('give their position back, in 22 characters, always the same', () => {
    fc.assert(
      fc.property(kinds, positions, (kind, position) => {
        const cursor = codec.encode(kind, position)
        expect(cursor).toMatch(/^[\w-]{22}$/)
        expect(codec.encode(kind, position)).toBe(cursor)
        expect(codec.decode(kind, cursor)).toBe(position)
      }),
    )
  })

  it('give back a place behind an instant, and one without, in 22 characters', () => {
    const numbers = fc.nat({ max: 2 ** 31 - 1 }).map((number) => number * 512)
    const places = fc.oneof(
      fc.record({ number: numbers, at: fc.constant(null), order: fc.constant(null) }),
      fc.record({
        number: numbers,
        at: fc.integer({ min: -(2 ** 47) + 1, max: 2 ** 47 - 1 }),
        order: fc.constantFrom('CREATED', 'UPDATED'),
      }),
    )
    fc.assert(
      fc.property(fc.constantFrom(...PLACES), fc.constantFrom(...PLACES), places, (kind, other, place) => {
        const cursor = codec.encodePlace(kind, place)
        expect(cursor).toMatch(/^[\w-]{22}$/)
        expect(codec.decodePlace(kind, cursor)).toEqual(place)
        expect(codec.decodePlace(other, cursor)).toEqual(other === kind ? place : null)
        expect(codec.decode(kind, cursor)).toBe(place.at === null ? place.number : null)
        expect(createCursorCodec('log-2').decodePlace(kind, cursor)).toBeNull()
        for (const flipped of bitFlips(cursor).slice(0, 20)) expect(codec.decodePlace(kind, flipped)).toBeNull()
      }),
    )
  })

  it.each([
    [2 ** 40, 0],
    [-1, 0],
    [1.5, 0],
    [1, 2 ** 47],
    [1, Number.NaN],
  ])('hold no place %d behind the instant %d', (number, at) => {
    expect(() => codec.encodePlace('payments', { number, at, order: 'UPDATED' })).toThrow(RangeError)
  })

  it('mean nothing in a list of another kind', () => {
    fc.assert(
      fc.property(kinds, kinds, positions, (kind, other, position) => {
        expect(codec.decode(other, codec.encode(kind, position))).toBe(other === kind ? position : null)
      }),
    )
  })

  it('mean nothing in another log', () => {
    const other = createCursorCodec('log-2')
    fc.assert(
      fc.property(kinds, positions, (kind, position) => {
        expect(other.decode(kind, codec.encode(kind, position))).toBeNull()
      }),
    )
  })

  it('are not found by guessing', () => {
    const blocks = fc
      .uint8Array({ minLength: 16, maxLength: 16 })
      .map((bytes) => Buffer.from(bytes).toString('base64url'))
    fc.assert(
      fc.property(fc.oneof(blocks, fc.string()), kinds, (cursor, kind) => {
        expect(codec.decode(kind, cursor)).toBeNull()
      }),
      { numRuns: 2000 },
    )
  })

  it('do not bear a flipped bit, also one that decodes to the same bytes', () => {
    fc.assert(
      fc.property(positions, (position) => {
        const flips = bitFlips(codec.encode('log', position))
        expect(flips.filter((cursor) => codec.decode('log', cursor) !== null)).toEqual([])
      }),
      { numRuns: 30 },
    )
  })

  it('do not show the order of their positions', () => {
    const cursors = Array.from({ length: 200 }, (_, position) => codec.encode('log', position))
    expect(cursors.toSorted()).not.toEqual(cursors)
    expect(new Set(cursors.map((cursor) => cursor.slice(0, 8))).size).toBe(200)
  })

  it.each([-1, 0.5, Number.NaN, Infinity, 2 ** 53])('do not exist for position %d', (position) => {
    expect(() => codec.encode('log', position)).toThrow(RangeError)
  })
})
