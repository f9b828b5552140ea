import { expect, it } from 'vitest'
import { createDelayControl, TICK_MS } from '../../../../src/http/protection/delay-control.ts'

/** Milliseconds of one step of the simulation. */
const STEP_MS = 10

type Load = {
  /** Returns the number of requests that arrive in a step, by the number of waiting ones. */
  readonly arrivals: (step: number, waiting: number) => number
  /** Number of requests that begin in a step. */
  readonly perStep: number
  readonly steps: number
}

/** Simulates a queue with the limits of the control. Returns the numbers of its requests. */
function simulate({ arrivals, perStep, steps }: Load) {
  let now = 0
  const control = createDelayControl()
  const waiting: number[] = []
  const counts = { begun: 0, refused: 0, refusedLast: 0, longest: 0 }
  for (let step = 0; step < steps; step += 1) {
    now += STEP_MS
    for (let count = arrivals(step, waiting.length); count > 0; count -= 1) {
      control.arrived()
      if (waiting.length < control.limit()) waiting.push(now)
      else {
        counts.refused += 1
        counts.refusedLast = now
      }
    }
    for (const _since of waiting.splice(0, perStep)) {
      control.begun()
      counts.begun += 1
    }
    const ageMs = waiting[0] === undefined ? 0 : now - waiting[0]
    counts.longest = Math.max(counts.longest, ageMs)
    if (now % TICK_MS === 0) control.tick(Math.floor(ageMs / TICK_MS))
  }
  return { ...counts, waiting: waiting.length }
}

const SECONDS = 1_000 / STEP_MS

// promise(process): Bursts of commands and queries are not refused.
it.each([50, 500, 5_000])('lets a burst of %i wait for as long as it takes, and refuses none', (size) => {
  const { begun, refused } = simulate({
    arrivals: (step) => (step === 0 ? size : 0),
    perStep: 1,
    steps: size + 10,
  })
  expect({ begun, refused }).toEqual({ begun: size, refused: 0 })
})

it('refuses nobody of a burst behind which others come in time', () => {
  const arrivals = (step: number) => (step === 0 ? 3_000 : step % 2)
  expect(simulate({ arrivals, perStep: 10, steps: 60 * SECONDS }).refused).toBe(0)
})

it('refuses nobody of a fixed number of clients that wait for their answers', () => {
  const clients = 256
  const load = { arrivals: (_step: number, waiting: number) => clients - waiting, perStep: 2, steps: 60 * SECONDS }
  const { refused, longest } = simulate(load)
  expect(longest).toBeGreaterThan(1_000)
  expect(refused).toBe(0)
})

it('keeps doing as much as it can when three times as much comes, and nobody waits for long', () => {
  const perStep = 10
  const steps = 60 * SECONDS
  const { begun, refused, waiting } = simulate({ arrivals: () => 3 * perStep, perStep, steps })
  expect(begun).toBe(perStep * steps)
  expect(refused).toBeGreaterThan(1.8 * begun)
  expect(waiting).toBeLessThanOrEqual((perStep * 500) / STEP_MS + 1)
})

it('is itself again when less comes', () => {
  const perStep = 10
  const over = 20 * SECONDS
  const arrivals = (step: number) => (step < over ? 3 * perStep : perStep / 2)
  const { refused, refusedLast, waiting } = simulate({ arrivals, perStep, steps: 30 * SECONDS })
  expect(refused).toBeGreaterThan(0)
  expect(refusedLast).toBeLessThan(over * STEP_MS + 1_500)
  expect(waiting).toBe(0)
})

it('refuses some when a crowd that does not grow waits for more than five seconds', () => {
  const crowd = 8_000
  const load = { arrivals: (_step: number, waiting: number) => crowd - waiting, perStep: 10, steps: 20 * SECONDS }
  expect(simulate(load).refused).toBeGreaterThan(0)
})
