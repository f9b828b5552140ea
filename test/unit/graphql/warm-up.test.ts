import { expect, it } from 'vitest'
import { createSteadyCheck } from '../../../src/graphql/warm-up.ts'

/** Returns the number of rounds that run with these durations; 0 if they never become steady. */
function roundsOf(durations: readonly number[]): number {
  const isSteady = createSteadyCheck()
  return durations.findIndex((duration) => isSteady(duration)) + 1
}

it('goes on while rounds get faster', () => {
  expect(roundsOf(Array.from({ length: 50 }, (_, round) => 1000 * 0.8 ** round))).toBe(0)
})

it('ends after five rounds that are not faster by a tenth', () => {
  expect(roundsOf([100, 50, 46, 47, 49, 50, 45.1, 10])).toBe(7)
})

it('does not take rounds that something else held up for the end', () => {
  expect(roundsOf([100, 50, 200, 300, 400, 20, 30, 30, 30, 30, 30, 10])).toBe(11)
})
