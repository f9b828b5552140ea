import { describe, expect, it } from 'vitest'
import { unseal, seal } from '../../../src/keys/derived-secrets.ts'
import { createKeyRing, Secret } from '../../../src/keys/key-ring.ts'

const secret = (letter: string) => new Secret(letter.repeat(40))
const ring = createKeyRing([secret('a')])
const VALUE = { email: 'ada@example.test', expiresAt: 1_900_000_000_000 }

describe('the grant of a URL', () => {
  it('is opened for its own purpose alone, also under the prefix of another', () => {
    const text = seal(ring, 'upload grant', VALUE)
    expect(unseal(ring, 'export grant', text)).toBeNull()
    expect(unseal(ring, 'export grant', text.replace('ug1', 'eg1'))).toBeNull()
    expect(unseal(ring, 'export grant', seal(ring, 'export grant', VALUE))).toEqual(VALUE)
  })

  it('is opened by its ring alone, also after a rotation', () => {
    const text = seal(ring, 'upload grant', VALUE)
    expect(unseal(ring, 'upload grant', text)).toEqual(VALUE)
    expect(unseal(createKeyRing([secret('b'), secret('a')]), 'upload grant', text)).toEqual(VALUE)
    expect(unseal(createKeyRing([secret('b')]), 'upload grant', text)).toBeNull()
  })

  it('shows nothing of its value, and is another text each time', () => {
    const text = seal(ring, 'upload grant', VALUE)
    expect(Buffer.from(text.split('.')[2] ?? '', 'base64url').toString('latin1')).not.toContain('ada')
    expect(seal(ring, 'upload grant', VALUE)).not.toBe(text)
  })

  it('that was changed anywhere is not opened', () => {
    const text = seal(ring, 'upload grant', VALUE)
    const start = text.lastIndexOf('.') + 1
    // The last character may hold bits that no byte has.
    for (let at = 4; at < text.length - 1; at++) {
      const other = text[at] === 'A' ? 'B' : 'A'
      if (text[at] === '.') continue
      expect(unseal(ring, 'upload grant', `${text.slice(0, at)}${other}${text.slice(at + 1)}`)).toBeNull()
    }
    for (const cut of ['', 'ug1', text.slice(0, start), text.slice(0, start + 20), `${text}A`.slice(1)])
      expect(unseal(ring, 'upload grant', cut)).toBeNull()
  })
})
