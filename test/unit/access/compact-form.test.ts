import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isCompactJws, namesAreUnique } from '../../../src/access/caller.ts'
import { hsToken, unsigned } from './tokens.ts'

const token = hsToken('a-secret-of-at-least-32-bytes-in-all')

describe('the compact form', () => {
  it('is three parts in base64url', () => {
    const parts = fc
      .uint8Array({ minLength: 1, maxLength: 40 })
      .map((bytes) => Buffer.from(bytes).toString('base64url'))
    fc.assert(fc.property(parts, parts, parts, (...three) => isCompactJws(three.join('.'))))
    expect(isCompactJws(token)).toBe(true)
  })

  it.each([
    ...'.. YQ.YQ YQ.YQ. .YQ.YQ YQ.YQ.YQ.YQ YQ.YQ.YQ.YQ.YQ YQ==.YQ.YQ YR.YQ.YQ Y.YQ.YQ Y+8.YQ.YQ é.YQ.YQ'.split(' '),
    '',
    'YQ.Y Q.YQ',
    `${token}\n`,
    ` ${token}`,
    `${token}=`,
    `${token}.`,
  ])('is not %j', (text) => expect(isCompactJws(text)).toBe(false))
})

describe('the names of a token', () => {
  const unique = (header: string, claims: string) => namesAreUnique(`${unsigned(header, claims)}.signature`)

  it.each([
    ['{}', '{}'],
    ['{"alg":"x"}', '{"alg":"x","a":1}'],
    ['{}', '{"a":{"b":1,"c":{"b":1}},"b":{"b":1},"c":[{"b":1},{"b":2}]}'],
    ['{}', String.raw`{"a":"\"a\":1,\"a\":2","b":"{","c":"\\"}`],
    ['{}', String.raw`{"a" : "a", "b":["a","a"] }`],
  ])('are unique in %s and %s', (header, claims) => expect(unique(header, claims)).toBe(true))

  it.each([
    ['{"alg":"x","alg":"x"}', '{}'],
    ['{}', '{"a":1,"b":2,"a":1}'],
    ['{}', String.raw`{"a":1,"\u0061":2}`],
    ['{}', '{"":1,"":2}'],
    ['{}', '{"a":{"x":[1,{}]},\n"a"\t:1}'],
    ['{}', String.raw`{"\"":1,"\u0022":2}`],
  ])('are not unique in %s and %s', (header, claims) => expect(unique(header, claims)).toBe(false))

  it('are those that JSON itself sees', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string(), { minLength: 1 }), fc.jsonValue(), fc.nat(), (names, value, index) => {
        const members = names.map((name) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)
        expect(unique('{}', `{${members.join(',')}}`)).toBe(true)
        const twice = [...members, members[index % members.length]]
        expect(unique('{}', `{${twice.join(',')}}`)).toBe(false)
      }),
    )
  })
})
