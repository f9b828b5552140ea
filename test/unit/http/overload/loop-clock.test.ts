import { expect, it } from 'vitest'
import { createLoopClock, type LoopTimes } from '../../../../src/http/overload/delay-control.ts'

/** Creates a clock. The test advances it, and the times of its thread. */
function setUp() {
  let times: LoopTimes = { wall: 0, idle: 0, cpu: 0 }
  const clock = createLoopClock(() => times)
  return {
    clock,
    pass: (used: Partial<LoopTimes>) =>
      (times = {
        wall: times.wall + (used.wall ?? 0),
        idle: times.idle + (used.idle ?? 0),
        cpu: times.cpu + (used.cpu ?? 0),
      }),
  }
}

it('counts time in which the loop works, and in which it is idle', () => {
  const { clock, pass } = setUp()
  pass({ wall: 40, cpu: 40 })
  expect(clock.now()).toBe(40)
  clock.tick()
  pass({ wall: 100, idle: 90, cpu: 10 })
  expect(clock.now()).toBe(140)
})

it('stands still while the thread waits for a CPU, or for a disk', () => {
  const { clock, pass } = setUp()
  pass({ wall: 200, cpu: 100 })
  expect(clock.now()).toBe(100)
  clock.tick()
  pass({ wall: 5_000 })
  expect(clock.now()).toBe(100)
})

it('counts at most a quarter of a second for one turn', () => {
  const { clock, pass } = setUp()
  pass({ wall: 1_000, cpu: 1_000 })
  expect(clock.now()).toBe(250)
  clock.tick()
  pass({ wall: 10, cpu: 10 })
  expect(clock.now()).toBe(260)
})

it('never falls, though CPU time is rounded', () => {
  const { clock, pass } = setUp()
  pass({ wall: 10, cpu: 10 })
  clock.tick()
  pass({ wall: 1, cpu: -0.5 })
  expect(clock.now()).toBe(10)
})
