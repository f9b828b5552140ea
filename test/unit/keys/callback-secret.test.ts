import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { callbackAuthorization, callbackKeyOf, namesUnknownKey } from '../../../src/keys/derived-secrets.ts'
import { bitFlips, ringOf } from './rings.ts'

const ring = ringOf('a')
const header = callbackAuthorization(ring, 'payment', 'ref-1')

describe('callback authorization', () => {
  it('has the form that is registered with the payments API', () => {
    expect(header).toMatch(/^Bearer v1\.[0-9a-f]{8}\.[\w-]{43}$/)
  })

  it('is right for its own address alone', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.constantFrom('payment', 'agreement'), (ref, other, kind) => {
        const value = callbackAuthorization(ring, kind, ref)
        const otherKind = kind === 'payment' ? 'agreement' : 'payment'
        expect(callbackKeyOf(ring, kind, ref, value)).toBe(ring.ids('CALLBACK_KEYS')[0])
        expect(callbackKeyOf(ring, kind, other, value) !== null).toBe(other === ref)
        expect(callbackKeyOf(ring, otherKind, ref, value)).toBeNull()
      }),
    )
  })

  it.each([
    undefined,
    '',
    'Bearer',
    header.toLowerCase(),
    ` ${header}`,
    `${header} `,
    `${header}, ${header}`,
    header.slice(7),
  ])('refuses %j', (value) => {
    expect(callbackKeyOf(ring, 'payment', 'ref-1', value)).toBeNull()
  })

  it('refuses every flipped bit', () => {
    const accepted = bitFlips(header).filter((value) => callbackKeyOf(ring, 'payment', 'ref-1', value) !== null)
    expect(accepted).toEqual([])
  })

  it('stays right while its key is live, and no longer', () => {
    expect(callbackKeyOf(ringOf('b', 'a'), 'payment', 'ref-1', header)).toBe(ring.ids('CALLBACK_KEYS')[0])
    expect(callbackKeyOf(ringOf('b'), 'payment', 'ref-1', header)).toBeNull()
    expect(callbackAuthorization(ringOf('b', 'a'), 'payment', 'ref-1')).not.toBe(header)
  })

  it('tells a key that is not live from a wrong secret under one that is', () => {
    expect(namesUnknownKey(ringOf('b'), header)).toBe(true)
    expect(namesUnknownKey(ring, header)).toBe(false)
    expect(namesUnknownKey(ring, header.slice(0, -1))).toBe(false)
    expect(namesUnknownKey(ringOf('b'), 'Bearer nonsense')).toBe(false)
    expect(namesUnknownKey(ringOf('b'), undefined)).toBe(false)
  })
})
