import { createServer } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { createScheduler } from '../../../../src/http/overload/delay-control.ts'

const WORK = Array.from({ length: 100 }, (_, index) => index)

/** Creates work in two queues. Each unit takes some time of the event loop. */
function setUp(milliseconds = 0) {
  const server = createServer()
  const queues: { readonly name: string; waiting: number[] }[] = [
    { name: 'a', waiting: [] },
    { name: 'b', waiting: [] },
  ]
  const begun: string[] = []
  const sources = queues.map((queue) => ({
    hasNext: () => queue.waiting.length > 0,
    beginNext() {
      begun.push(`${queue.name}${queue.waiting.shift()}`)
      const until = performance.now() + milliseconds
      // The time of work in microtasks counts, too.
      queueMicrotask(() => {
        while (performance.now() < until);
      })
    },
  }))
  let turns = 0
  const scheduler = createScheduler(
    server,
    () => sources,
    () => (turns += 1),
  )
  return {
    scheduler,
    begun,
    turns: () => turns,
    connect: () => server.emit('connection'),
    wait(name: string, work: readonly number[]) {
      queues.find((queue) => queue.name === name)?.waiting.push(...work)
      scheduler.wake()
    },
  }
}

it('begins several in a turn, of all queues in turn', async () => {
  const { wait, begun } = setUp()
  wait('a', WORK)
  wait('b', WORK)
  await turn()
  await turn()
  expect(begun.length).toBeGreaterThan(1)
  expect(begun.slice(0, 4)).toEqual(['a0', 'b0', 'a1', 'b1'])
})

it('ends a turn when its time is over, and goes on in the next', async () => {
  const { wait, begun, turns } = setUp(6)
  wait('a', WORK.slice(0, 6))
  await expect.poll(() => begun.length).toBe(6)
  expect(begun).toEqual(['a0', 'a1', 'a2', 'a3', 'a4', 'a5'])
  expect(turns()).toBeGreaterThanOrEqual(3)
})

it('lets what comes begin at once, unless something waits or the time of the turn is over', () => {
  const { scheduler, wait } = setUp()
  expect(scheduler.mayBeginNow()).toBe(true)
  const until = performance.now() + 20
  while (performance.now() < until);
  expect(scheduler.mayBeginNow()).toBe(false)
  const other = setUp()
  other.wait('a', [1])
  expect(other.scheduler.mayBeginNow()).toBe(false)
  wait('a', [])
})

it('lets connections in first, yet not for ever', async () => {
  const { wait, begun, connect } = setUp(2)
  wait('a', WORK.slice(0, 3))
  const passes: number[] = []
  for (let passed = 0; begun.length < 3 && passed < 100; passed += 1) {
    const before = begun.length
    connect()
    await turn()
    if (begun.length > before) passes.push(passed)
  }
  expect(passes).toEqual([8, 17, 26])
})

it('begins nothing ahead of a connection that has just come', async () => {
  const { scheduler, connect } = setUp()
  connect()
  expect(scheduler.mayBeginNow()).toBe(false)
  await turn()
  await turn()
  expect(scheduler.mayBeginNow()).toBe(true)
})

it('answers a refusal after a second, and at once when thousands wait', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] })
  try {
    const { scheduler } = setUp()
    let answered = 0
    scheduler.refuse(() => (answered += 1))
    vi.advanceTimersByTime(900)
    await turn()
    expect(answered).toBe(0)
    vi.advanceTimersByTime(200)
    await turn()
    expect(answered).toBe(1)
    for (let index = 0; index < 4_100; index += 1) scheduler.refuse(() => (answered += 1))
    await turn()
    await turn()
    expect(answered).toBe(5)
  } finally {
    vi.useRealTimers()
  }
})
