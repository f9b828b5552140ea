import { expect, onTestFinished, test } from 'vitest'
import { TimerClock } from '../src/state/clock.ts'

function clockAt(startAt: string): TimerClock {
  const clock = new TimerClock(new Date(startAt))
  onTestFinished(() => clock.close())
  return clock
}

test('advance runs what falls due in order, each at its own moment, chained work included', async () => {
  const clock = clockAt('2026-01-01T00:00:00Z')
  const ran: string[] = []
  const note = (name: string) => () => {
    ran.push(`${name} ${clock.now().toISOString().slice(11, 16)}`)
  }
  const start = clock.now().getTime()
  const at = (minutes: number): Date => new Date(start + minutes * 60_000)
  clock.schedule(at(20), note('c'))
  clock.schedule(at(5), async () => {
    await Promise.resolve()
    note('a')()
    clock.schedule(at(10), note('b'))
  })
  clock.schedule(at(40), note('never'))
  clock.schedule(at(6), note('cancelled')).cancel()
  await clock.advance(30 * 60_000)
  expect(ran).toEqual(['a 00:05', 'b 00:10', 'c 00:20'])
  expect(clock.now().getTime()).toBeGreaterThanOrEqual(at(30).getTime())
})

test('two advances at once happen one after the other', async () => {
  const clock = clockAt('2026-01-01T00:00:00Z')
  const before = clock.now().getTime()
  await Promise.all([clock.advance(1000), clock.advance(2000)])
  expect(clock.now().getTime() - before).toBeGreaterThanOrEqual(3000)
})

test('real time runs what is due, and a far timer neither fires early nor is lost', async () => {
  const clock = clockAt('2026-01-01T00:00:00Z')
  let far = 0
  clock.after(2 ** 31 + 60_000, () => {
    far += 1
  })
  await new Promise<void>((resolve) => {
    clock.after(20, resolve)
  })
  expect(far).toBe(0)
  await clock.advance(2 ** 31 + 60_000)
  expect(far).toBe(1)
})

test.each([-1, Number.NaN, Number.POSITIVE_INFINITY])('a step of %d is refused', async (step) => {
  await expect(clockAt('2026-01-01T00:00:00Z').advance(step)).rejects.toThrow(RangeError)
})

test('a closed clock runs nothing', async () => {
  const clock = new TimerClock()
  let runs = 0
  clock.after(10, () => {
    runs += 1
  })
  clock.close()
  await clock.advance(1000)
  expect(runs).toBe(0)
})
