import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { hasRepeatedKey } from '../src/exact-json.ts'

const repeats = (json: string) => hasRepeatedKey(json, JSON.parse(json))

it.each([
  '{"a":1,"a":2}',
  '{"a":1,"b":2,"a":3}',
  `{"a"${' '.repeat(19)}:1,"a"${' '.repeat(19)}:2}`,
  `{"a"${' \t\n\r'.repeat(5_000)}:1,"a":2}`,
  String.raw`{"a":1,"\u0061":2}`,
  String.raw`{"\"":1,"\u0022":2}`,
  '{"variables":{"input":{"amount":1,"amount":2}}}',
  '[[{"a":1},{"a":{"b":[],"b":{}}}]]',
  '{"":1,"":2}',
  '{"__proto__":1,"__proto__":2}',
  '{"a":{},"a":[]}',
])('finds a repeated key in %s', (json) => {
  expect(repeats(json)).toBe(true)
})

it.each([
  '{}',
  '[]',
  '"a"',
  '{"a":"a"}',
  '["a","a"]',
  '{"a":{"a":{"a":1}}}',
  '[{"a":1},{"a":1}]',
  '{"a":"\\"a\\":1","b":"{\\"b\\":2"}',
  String.raw`{"a\\":1,"a":2}`,
  '{"a":["b","b"],"b":"a"}',
  '{"constructor":1,"toString":2,"__proto__":3}',
  '{"a":1,"A":2}',
])('finds none in %s', (json) => {
  expect(repeats(json)).toBe(false)
})

it('finds none in what an object was written as, however it is indented', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.nat(10), (value, indent) => {
      expect(repeats(JSON.stringify(value, null, indent))).toBe(false)
    }),
  )
})

it('finds the key of any object that is given once more', () => {
  const object = fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 })
  const blank = fc.string({ unit: fc.constantFrom(' ', '\t', '\n', '\r'), maxLength: 60 })
  fc.assert(
    fc.property(object, fc.nat(), blank, (given, pick, between) => {
      const keys = Object.keys(given)
      const again = JSON.stringify(keys[pick % keys.length])
      const json = `{${again}${between}:${between}null,${JSON.stringify(given).slice(1)}`
      expect(repeats(`[{"outer":${json}}]`)).toBe(true)
    }),
  )
})
