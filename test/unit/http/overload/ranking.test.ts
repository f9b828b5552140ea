import { array, assert, constantFrom, integer, option, property, tuple } from 'fast-check'
import { expect, it } from 'vitest'
import { createRanking } from '../../../../src/http/overload/fair-queue.ts'
import { newSeed } from '../../../faults/random.ts'

const seed = newSeed()

it(`gives the highest score, and among equals the one that was set last (seed ${seed})`, () => {
  const step = tuple(constantFrom('a', 'b', 'c', 'd'), option(integer({ min: 0, max: 5 })))
  assert(
    property(array(step, { maxLength: 400 }), (steps) => {
      const ranking = createRanking()
      const scores = new Map<string, number>()
      for (const [key, score] of steps) {
        ranking.set(key, score)
        scores.delete(key)
        if (score !== null) scores.set(key, score)
        const best = [...scores].findLast(([, own]) => own === Math.max(...scores.values()))
        expect(ranking.top()).toEqual(best === undefined ? null : { key: best[0], score: best[1] })
      }
    }),
    { seed },
  )
})

it('forgets what is out of date, though another key stays on top of it', () => {
  const ranking = createRanking()
  for (let index = 0; index < 1_000; index += 1) {
    ranking.set('served', 1)
    ranking.set(`newest ${index}`, 1)
    ranking.set(`newest ${index - 1}`, null)
  }
  expect(ranking.top()).toEqual({ key: 'newest 999', score: 1 })
  ranking.set('newest 999', null)
  expect(ranking.top()).toEqual({ key: 'served', score: 1 })
})
