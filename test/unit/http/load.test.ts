import { afterEach, expect, it } from 'vitest'
import { watchLoad, type Load } from '../../../src/http/load.ts'

let load: Load
afterEach(() => load.close())

function block(milliseconds: number): void {
  const end = performance.now() + milliseconds
  while (performance.now() < end);
}

it('is 0 for a loop with nothing to do', async () => {
  load = watchLoad(2_000)
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(load.pressure(0)).toBe(0)
})

it('is 1 once the loop has stood still, and 0 again soon after', async () => {
  load = watchLoad(300)
  block(2_000)
  await new Promise((resolve) => setTimeout(resolve, 0))
  expect(load.pressure(0)).toBe(1)
  await expect.poll(() => load.pressure(0), { timeout: 5_000 }).toBe(0)
})

it('lies in between for a loop that is late', async () => {
  load = watchLoad(1_500)
  for (const _turn of [1, 2]) {
    block(800)
    await new Promise((resolve) => setTimeout(resolve, 0))
  }
  expect(load.pressure(0)).toBeGreaterThan(0.1)
  expect(load.pressure(0)).toBeLessThan(1)
})

it('rises with what waits, though the loop is in time', () => {
  load = watchLoad(300)
  expect(load.pressure(0)).toBe(0)
  expect(load.pressure(200)).toBeCloseTo(0.5)
  expect(load.pressure(300)).toBe(1)
})
