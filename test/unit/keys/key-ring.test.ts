import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { ringOf } from './rings.ts'

describe('createKeyRing', () => {
  it('derives each purpose once', () => {
    const ring = ringOf('a', 'b')
    expect(ring.subKeys('contact')).toBe(ring.subKeys('contact'))
  })

  it('derives other keys for another purpose and another signing key', () => {
    const ring = ringOf('a', 'b')
    const keys = [...ring.subKeys('contact'), ...ring.subKeys('status token')].map(({ key }) =>
      key.export().toString('hex'),
    )
    expect(new Set(keys).size).toBe(4)
    expect(keys.every((key) => key.length === 64)).toBe(true)
  })

  it('names a signing key the same for every purpose and in every ring', () => {
    const [a, b] = ringOf('a', 'b').subKeys('contact')
    expect(a.id).toMatch(/^[0-9a-f]{8}$/)
    expect(
      ringOf('b', 'a')
        .subKeys('status token')
        .map(({ id }) => id),
    ).toEqual([b?.id, a.id])
  })

  it('shows no key when it is inspected', () => {
    const ring = ringOf('k')
    const { key } = ring.subKeys('contact')[0]
    const shown = inspect([ring, ring.subKeys('contact')], { depth: 9, showHidden: true })
    expect(shown).not.toContain('kkkkkkkk')
    expect(shown).not.toContain(key.export().toString('hex').slice(0, 8))
  })
})
