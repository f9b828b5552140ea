import { describe, expect, it } from 'vitest'
import { createFailedAttempts } from '../../../../src/http/limits/failed-attempts.ts'

const MINUTE_MS = 60_000

function counterAt(options: { limit?: number; capacity?: number } = {}) {
  const time = { now: 5_000 }
  return { time, attempts: createFailedAttempts({ limit: 3, ...options, clock: () => time.now }) }
}

describe('failed attempts', () => {
  it('are too many beyond the limit, for the peer that made them', () => {
    const { attempts } = counterAt()
    for (const expected of [false, false, false, true, true]) {
      attempts.count('a')
      expect(attempts.tooMany('a')).toBe(expected)
    }
    expect(attempts.tooMany('b')).toBe(false)
  })

  it('are forgotten when the minute is over', () => {
    const { attempts, time } = counterAt({ limit: 1 })
    for (const peer of ['a', 'a']) attempts.count(peer)
    time.now += MINUTE_MS - 1
    expect(attempts.tooMany('a')).toBe(true)
    expect(attempts.retryAfter()).toBe(1)
    time.now += 1
    expect(attempts.tooMany('a')).toBe(false)
    expect(attempts.retryAfter()).toBe(60)
  })

  it('of a peer stay on record, however many others come after it', () => {
    const { attempts } = counterAt({ limit: 1, capacity: 100 })
    for (const peer of ['first', 'first']) attempts.count(peer)
    for (let index = 0; index < 10_000; index += 1) for (const _ of [1, 2]) attempts.count(`peer-${index}`)
    expect(attempts.tooMany('first')).toBe(true)
    expect(attempts.tooMany('peer-98')).toBe(true)
    // The counter is full after 100 peers, and does not count the 101st.
    expect(attempts.tooMany('peer-99')).toBe(false)
  })
})
