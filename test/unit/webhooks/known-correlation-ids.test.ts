import { expect, it } from 'vitest'
import { rememberKnown } from '../../../src/webhooks/webhook-handler.ts'

/** Creates a store with these correlation ids, which records the requested ids. */
function storeOf(...ids: string[]) {
  const has = new Set(ids)
  const asked: string[] = []
  const lookUp = async (id: string) => {
    asked.push(id)
    return has.has(id)
  }
  return { has, asked, lookUp }
}

it('asks once for an id that is known', async () => {
  const { asked, lookUp } = storeOf('a')
  const isKnown = rememberKnown(lookUp)
  expect([await isKnown('a'), await isKnown('a'), await isKnown('a')]).toEqual([true, true, true])
  expect(asked).toEqual(['a'])
})

it('asks again for an id that was unknown, since a command may have been given it meanwhile', async () => {
  const { asked, has, lookUp } = storeOf()
  const isKnown = rememberKnown(lookUp)
  expect(await isKnown('a')).toBe(false)
  has.add('a')
  expect([await isKnown('a'), await isKnown('a')]).toEqual([true, true])
  expect(asked).toEqual(['a', 'a'])
})

it('remembers only so many, those that were used last', async () => {
  const { asked, lookUp } = storeOf('a', 'b', 'c')
  const isKnown = rememberKnown(lookUp, 2)
  for (const id of ['a', 'b', 'a', 'c', 'a', 'b']) expect(await isKnown(id)).toBe(true)
  expect(asked).toEqual(['a', 'b', 'c', 'b'])
})

it('does not remember a lookup that failed', async () => {
  const answers = [Promise.reject(new Error('the store is closed')), Promise.resolve(true)]
  const isKnown = rememberKnown(async () => (await answers.shift()) ?? false)
  await expect(isKnown('a')).rejects.toThrow('the store is closed')
  expect(await isKnown('a')).toBe(true)
})
