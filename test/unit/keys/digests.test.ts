import { createHash } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bodyHashes, canonicalJson, fingerprint, sameFingerprint } from '../../../src/keys/key-ring.ts'
import { ringOf } from './rings.ts'

const ring = ringOf('a')

/** Returns the same value with the keys of every object in reverse order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([name, member]) => [name, reversed(member)]),
  )
}

describe('bodyHashes', () => {
  const body = Buffer.from('{"uuid":"1"}')

  it('gives one hash for each key, the signing key first', () => {
    expect(bodyHashes(ringOf('b', 'a'), body, 'ref')).toEqual([
      ...bodyHashes(ringOf('b'), body, 'ref'),
      ...bodyHashes(ringOf('a'), body, 'ref'),
    ])
    expect(bodyHashes(ring, body, 'ref')[0]).toMatch(/^[0-9a-f]{64}$/)
  })

  it('tells apart bodies that mean the same, and is no plain digest', () => {
    const hashes = bodyHashes(ring, body, null)
    expect(hashes).toEqual(bodyHashes(ring, new Uint8Array(body), null))
    expect(bodyHashes(ring, Buffer.from('{"uuid": "1"}'), null)).not.toEqual(hashes)
    for (const bytes of ['{"uuid":"1"}', '\n{"uuid":"1"}'])
      expect(hashes[0]).not.toBe(createHash('sha256').update(bytes).digest('hex'))
  })

  it('tells apart the same body at different addresses', () => {
    const hashes = [null, 'ref', 'other'].map((ref) => bodyHashes(ring, body, ref)[0])
    expect(new Set(hashes).size).toBe(3)
  })
})

describe('canonicalJson', () => {
  it.each<[unknown, string]>([
    [{ b: 1, a: [2, 1], c: undefined }, '{"a":[2,1],"b":1}'],
    [{ 10: 'x', 9: 'y', é: null }, '{"10":"x","9":"y","é":null}'],
    [[undefined, null, -0], '[null,null,0]'],
    [{ at: new Date(0) }, '{"at":"1970-01-01T00:00:00.000Z"}'],
    [Object.assign(Object.create(null), { a: 1 }), '{"a":1}'],
    ['"\u2028', JSON.stringify('"\u2028')],
  ])('%o', (value, text) => {
    expect(canonicalJson(value)).toBe(text)
  })

  it('says the same as JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  it.each([Number.NaN, Infinity, 1n, Symbol('s'), (): number => 1, undefined])('refuses %o', (value) => {
    expect(() => canonicalJson(value)).toThrow(TypeError)
  })
})

describe('fingerprint', () => {
  it('is the same whatever the order of the keys', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(fingerprint(ring, reversed(value))).toBe(fingerprint(ring, value))
        expect(sameFingerprint(ring, reversed(value), fingerprint(ring, value))).toBe(true)
      }),
    )
  })

  it('is another for another value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        expect(sameFingerprint(ring, one, fingerprint(ring, other))).toBe(canonicalJson(one) === canonicalJson(other))
      }),
    )
  })

  it('is recognised across a change of keys', () => {
    const stored = fingerprint(ring, { amount: '10' })
    expect(sameFingerprint(ringOf('b', 'a'), { amount: '10' }, stored)).toBe(true)
    expect(sameFingerprint(ringOf('b'), { amount: '10' }, stored)).toBe(false)
    expect(sameFingerprint(ring, { amount: '10' }, '')).toBe(false)
  })
})
