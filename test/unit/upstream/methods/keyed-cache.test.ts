import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createKeyedCache, type KeyedCacheOptions } from '../../../../src/upstream/methods/payin-method-lists.ts'

const MINUTE = 60_000

/** Creates a cache whose clock the test advances, and a payments API that records its calls. */
function stage(options: Omit<KeyedCacheOptions, 'clock'> = {}) {
  const fixture = { now: 0, down: false, asked: [] as string[] }
  const cache = createKeyedCache<string>({ ...options, clock: () => fixture.now })
  /** Asks, lets the renewal behind the answer end, and asks again. */
  const askTwice = async (key: string) => {
    const first = await ask(key)
    await turn()
    await turn()
    return [first, await ask(key)]
  }
  const ask = (key: string, onStale?: () => void) => {
    const load = async () => {
      fixture.asked.push(key)
      const answer = `${key}, answer ${fixture.asked.length}`
      await turn()
      if (fixture.down) throw new Error('The payments API is down.')
      return answer
    }
    return cache.get(key, load, onStale)
  }
  return { fixture, ask, askTwice }
}

describe('a value', () => {
  it('is loaded once for 300 callers at once', async () => {
    const { fixture, ask } = stage()
    const values = await Promise.all(Array.from({ length: 300 }, () => ask('a')))
    expect(new Set(values)).toEqual(new Set(['a, answer 1']))
    expect(fixture.asked).toEqual(['a'])
  })

  it('is its own key’s alone', async () => {
    const { fixture, ask } = stage()
    expect(await Promise.all([ask('a'), ask('b')])).toEqual(['a, answer 1', 'b, answer 2'])
    expect(fixture.asked).toEqual(['a', 'b'])
  })

  it('is kept for five minutes, and then renewed behind the answer', async () => {
    const { fixture, ask, askTwice } = stage()
    await ask('a')
    fixture.now = 5 * MINUTE
    expect(await ask('a')).toBe('a, answer 1')
    fixture.now += 1
    expect(await askTwice('a')).toEqual(['a, answer 1', 'a, answer 2'])
    fixture.now += 5 * MINUTE
    expect(await ask('a')).toBe('a, answer 2')
    expect(fixture.asked).toHaveLength(2)
  })

  it('is given while the payments API hangs, and loaded by one call', async () => {
    let now = 0
    const cache = createKeyedCache<string>({ clock: () => now })
    await cache.get('a', async () => 'first')
    now = 6 * MINUTE
    let calls = 0
    const hang = () => {
      calls += 1
      return new Promise<never>(() => {})
    }
    let told = 0
    for (const given of [1, 2, 3]) {
      expect(await cache.get('a', hang, () => (told += 1))).toBe('first')
      expect([calls, told]).toEqual([1, given])
    }
  })
})

describe('a load that fails', () => {
  it('gives null where nothing is kept, and is tried again after a second', async () => {
    const { fixture, ask } = stage()
    fixture.down = true
    expect(await Promise.all([ask('a'), ask('a')])).toEqual([null, null])
    expect(fixture.asked).toHaveLength(1)
    fixture.down = false
    fixture.now = 999
    expect(await ask('a')).toBeNull()
    fixture.now = 1_000
    expect(await ask('a')).toBe('a, answer 2')
  })

  it('gives the old value for an hour, asking again after each pause, and then null', async () => {
    const { fixture, ask, askTwice } = stage()
    await ask('a')
    fixture.down = true
    fixture.now = 30 * MINUTE
    expect(await askTwice('a')).toEqual(['a, answer 1', 'a, answer 1'])
    fixture.now = 60 * MINUTE
    expect(await askTwice('a')).toEqual(['a, answer 1', 'a, answer 1'])
    fixture.now += 1
    expect(await ask('a')).toBeNull()
    expect(fixture.asked).toHaveLength(3)
  })

  it('tells every caller that what it gives is old, or nothing', async () => {
    const { fixture, ask } = stage()
    let told = 0
    const askTold = () => ask('a', () => (told += 1))
    await askTold()
    expect(told).toBe(0)
    fixture.down = true
    fixture.now = 6 * MINUTE
    await Promise.all([askTold(), askTold()])
    expect(told).toBe(2)
    await turn()
    fixture.now = 62 * MINUTE
    expect(await askTold()).toBeNull()
    expect(told).toBe(3)
    fixture.down = false
    fixture.now += 1_000
    expect(await askTold()).toBe('a, answer 4')
    expect(told).toBe(3)
  })
})

describe('a full cache', () => {
  it('begins anew, and holds no more than it may', async () => {
    const { fixture, ask } = stage({ size: 2 })
    for (const key of ['a', 'b', 'c', 'c', 'a']) await ask(key)
    expect(fixture.asked).toEqual(['a', 'b', 'c', 'a'])
  })
})
