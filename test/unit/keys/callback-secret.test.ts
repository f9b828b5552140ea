import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { callbackAuthorization, checkCallbackAuthorization } from '../../../src/keys/callback-secret.ts'
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
        expect(checkCallbackAuthorization(ring, kind, ref, value)).toBe(true)
        expect(checkCallbackAuthorization(ring, kind, other, value)).toBe(other === ref)
        expect(checkCallbackAuthorization(ring, otherKind, ref, value)).toBe(false)
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
    expect(checkCallbackAuthorization(ring, 'payment', 'ref-1', value)).toBe(false)
  })

  it('refuses every flipped bit', () => {
    const accepted = bitFlips(header).filter((value) => checkCallbackAuthorization(ring, 'payment', 'ref-1', value))
    expect(accepted).toEqual([])
  })

  it('stays right while its key is live, and no longer', () => {
    expect(checkCallbackAuthorization(ringOf('b', 'a'), 'payment', 'ref-1', header)).toBe(true)
    expect(checkCallbackAuthorization(ringOf('b'), 'payment', 'ref-1', header)).toBe(false)
    expect(callbackAuthorization(ringOf('b', 'a'), 'payment', 'ref-1')).not.toBe(header)
  })
})
