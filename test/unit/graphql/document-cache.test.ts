import { expect, it } from 'vitest'
import { createDocumentCache } from '../../../src/graphql/document-cache.ts'

function cacheOf(bounds: { maxDocuments?: number; maxCharacters?: number }) {
  const dropped: string[] = []
  const onDropped = (value: string) => void dropped.push(value)
  return {
    dropped,
    cache: createDocumentCache<string>({ maxDocuments: 100, maxCharacters: 100, ...bounds, onDropped }),
  }
}

it('keeps what was used last, up to a number of texts', () => {
  const { cache, dropped } = cacheOf({ maxDocuments: 2 })
  cache.set('a', 'A')
  cache.set('b', 'B')
  expect(cache.get('a')).toBe('A')
  cache.set('c', 'C')
  expect(dropped).toEqual(['B'])
  expect(['a', 'b', 'c'].map((text) => cache.get(text))).toEqual(['A', undefined, 'C'])
})

it('keeps texts up to a number of characters, and counts what it drops', () => {
  const { cache, dropped } = cacheOf({ maxCharacters: 50 })
  for (let index = 0; index < 30; index += 1) expect(cache.set(`text${index % 10}`, String(index))).toBe(true)
  expect(Array.from({ length: 10 }, (_, index) => cache.get(`text${index}`))).toEqual(
    Array.from({ length: 10 }, (_, index) => String(20 + index)),
  )
  expect(dropped).toHaveLength(20)
})

it('does not keep a text that would drive out many', () => {
  const { cache, dropped } = cacheOf({})
  expect(cache.set('x'.repeat(10), 'kept')).toBe(true)
  expect(cache.set('x'.repeat(11), 'not kept')).toBe(false)
  expect(cache.get('x'.repeat(11))).toBeUndefined()
  expect(dropped).toEqual([])
})
