import { describe, expect, it } from 'vitest'
import { createKeyRing } from '../../../src/keys/key-ring.ts'
import { Secret } from '../../../src/keys/secret.ts'
import { openUploadGrant, sealUploadGrant } from '../../../src/keys/upload-grant.ts'

const secret = (letter: string) => new Secret(letter.repeat(40))
const ring = createKeyRing([secret('a')])
const VALUE = { email: 'ada@example.test', expiresAt: 1_900_000_000_000 }

describe('an upload grant', () => {
  it('is opened by its ring alone, also after a rotation', () => {
    const text = sealUploadGrant(ring, VALUE)
    expect(openUploadGrant(ring, text)).toEqual(VALUE)
    expect(openUploadGrant(createKeyRing([secret('b'), secret('a')]), text)).toEqual(VALUE)
    expect(openUploadGrant(createKeyRing([secret('b')]), text)).toBeNull()
  })

  it('shows nothing of its value, and is another text each time', () => {
    const text = sealUploadGrant(ring, VALUE)
    expect(Buffer.from(text.split('.')[2] ?? '', 'base64url').toString('latin1')).not.toContain('ada')
    expect(sealUploadGrant(ring, VALUE)).not.toBe(text)
  })

  it('that was changed anywhere is not opened', () => {
    const text = sealUploadGrant(ring, VALUE)
    const start = text.lastIndexOf('.') + 1
    // The last character may hold bits that no byte has.
    for (let at = 4; at < text.length - 1; at++) {
      const other = text[at] === 'A' ? 'B' : 'A'
      if (text[at] === '.') continue
      expect(openUploadGrant(ring, `${text.slice(0, at)}${other}${text.slice(at + 1)}`)).toBeNull()
    }
    for (const cut of ['', 'ug1', text.slice(0, start), text.slice(0, start + 20), `${text}A`.slice(1)])
      expect(openUploadGrant(ring, cut)).toBeNull()
  })
})
