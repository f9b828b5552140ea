import { setImmediate } from 'node:timers/promises'
import type { Timer } from '../../src/lib/timers.ts'

/** A clock and its timers: time passes only when a test advances it. */
export type VirtualTime = {
  readonly clock: () => Date
  readonly timer: Timer
  /** Milliseconds since the start. */
  elapsed(): number
  /** Advances time by `milliseconds`, timer by timer. After each timer, waits until the work that it started is done. */
  pass(milliseconds: number): Promise<void>
  /** Advances time in one step, as on a machine that was suspended: each timer that became due fires once, and late. */
  skip(milliseconds: number): Promise<void>
  /** Advances time until the condition holds, by at most `atMost` milliseconds. Throws if it does not hold by then. */
  passUntil(holds: () => boolean | Promise<boolean>, atMost: number): Promise<void>
}

export type VirtualTimeOptions = {
  readonly start: Date
  /** Returns false while something is in flight outside of this process's own turns, such as a request. */
  readonly isQuiet?: () => boolean
}

/** Turns of the event loop after which the store and its readers are idle. */
const TURNS = 12

export function virtualTime({ start, isQuiet = () => true }: VirtualTimeOptions): VirtualTime {
  type Entry = { readonly at: number; readonly action: () => void }
  const entries = new Set<Entry>()
  let now = 0

  const rest = async () => {
    for (let quiet = 0; quiet < TURNS; quiet = isQuiet() ? quiet + 1 : 0) await setImmediate()
  }

  /** Fires the next timer, if it is due by `until`; otherwise sets the time to `until`. */
  const step = async (until: number) => {
    const [next] = [...entries].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)
    if (next === undefined) {
      now = until
      return
    }
    entries.delete(next)
    now = Math.max(now, next.at)
    next.action()
    await rest()
  }

  return {
    clock: () => new Date(start.getTime() + Math.floor(now)),
    timer: {
      now: () => now,
      after(milliseconds, action) {
        const entry = { at: now + Math.max(milliseconds, 0), action }
        entries.add(entry)
        return () => void entries.delete(entry)
      },
    },
    elapsed: () => now,
    async pass(milliseconds) {
      const until = now + milliseconds
      await rest()
      while (now < until || [...entries].some(({ at }) => at <= until)) await step(until)
    },
    async skip(milliseconds) {
      await rest()
      now += milliseconds
      await this.pass(0)
    },
    async passUntil(holds, atMost) {
      const until = now + atMost
      await rest()
      while (!(await holds())) {
        if (now >= until) throw new Error(`It did not come true within ${atMost} virtual milliseconds.`)
        await step(until)
      }
    },
  }
}
