import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { callAt } from '../../../src/live/call-at.ts'

const DAY = 86_400_000

describe('callAt', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: 1_900_000_000_000 })
  })

  afterEach(() => {
    vi.useRealTimers()
  })

  it.each([1, 1_000, 2 ** 31 - 1, 2 ** 31, 50 * DAY, 365 * DAY])('acts after %d ms, once, and not before', (wait) => {
    const action = vi.fn<() => void>()
    callAt(Date.now() + wait, action)
    vi.advanceTimersByTime(wait - 1)
    expect(action).not.toHaveBeenCalled()
    vi.advanceTimersByTime(2)
    expect(action).toHaveBeenCalledTimes(1)
    vi.advanceTimersByTime(365 * DAY)
    expect(action).toHaveBeenCalledTimes(1)
  })

  it.each([0, -1, -DAY])('acts in the next turn for an instant that is %d ms away', (wait) => {
    const action = vi.fn<() => void>()
    callAt(Date.now() + wait, action)
    expect(action).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(action).toHaveBeenCalledTimes(1)
  })

  it.each([1_000, 50 * DAY])('acts no more once it is cancelled, %d ms before', (wait) => {
    const action = vi.fn<() => void>()
    const cancel = callAt(Date.now() + wait, action)
    vi.advanceTimersByTime(wait - 1)
    cancel()
    cancel()
    vi.advanceTimersByTime(DAY)
    expect(action).not.toHaveBeenCalled()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('goes by the clock that it is given', () => {
    let now = 0
    const action = vi.fn<() => void>()
    callAt(10, action, () => now)
    vi.advanceTimersByTime(10)
    expect(action).not.toHaveBeenCalled()
    now = 10
    vi.advanceTimersByTime(11)
    expect(action).toHaveBeenCalledTimes(1)
  })

  it('does not keep the process alive', () => {
    vi.useRealTimers()
    const before = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const cancel = callAt(Date.now() + DAY, () => {})
    expect(process.getActiveResourcesInfo().filter((name) => name === 'Timeout')).toHaveLength(before)
    cancel()
  })
})
