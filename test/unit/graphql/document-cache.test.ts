import { expect, it } from 'vitest'
import { createDocumentCache } from '../../../src/graphql/admission/admission.ts'

const cacheOf = (bounds: { maxDocuments?: number; maxCharacters?: number }) =>
  createDocumentCache<string>({ maxDocuments: 100, maxCharacters: 100, ...bounds })

it('keeps what was used last, up to a number of texts', () => {
  const cache = cacheOf({ maxDocuments: 2 })
  cache.set('a', 'A')
  cache.set('b', 'B')
  expect(cache.get('a')).toBe('A')
  cache.set('c', 'C')
  expect(['a', 'b', 'c'].map((text) => cache.get(text))).toEqual(['A', undefined, 'C'])
})

it('keeps texts up to a number of characters, and counts what it drops', () => {
  const cache = cacheOf({ maxCharacters: 50 })
  for (let index = 0; index < 30; index += 1) cache.set(`text${index % 10}`, String(index))
  expect(Array.from({ length: 10 }, (_, index) => cache.get(`text${index}`))).toEqual(
    Array.from({ length: 10 }, (_, index) => String(20 + index)),
  )
  // Ten texts of five characters each fill the cache.
  cache.set('other', 'other')
  expect([cache.get('text0'), cache.get('text1'), cache.get('other')]).toEqual([undefined, '21', 'other'])
})

it('does not keep a text that would drive out many', () => {
  const cache = cacheOf({})
  cache.set('x'.repeat(10), 'kept')
  cache.set('x'.repeat(11), 'not kept')
  expect(cache.get('x'.repeat(11))).toBeUndefined()
  expect(cache.get('x'.repeat(10))).toBe('kept')
})
