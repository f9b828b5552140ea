import { setImmediate } from 'node:timers/promises'
import type { Timer } from '../../src/lib/timer.ts'

/** A clock and the timers that go by it: time passes only when a test lets it. */
export type VirtualTime = {
  readonly clock: () => Date
  readonly timer: Timer
  /** Milliseconds since the start. */
  elapsed(): number
  /** Lets so much time pass, timer by timer; after each one, whatever it has begun comes to rest first. */
  pass(milliseconds: number): Promise<void>
  /** Lets so much time pass at once, as for a machine that slept: what was due meanwhile is done once, and late. */
  skip(milliseconds: number): Promise<void>
  /** Lets time pass until the condition holds, at most so many milliseconds. Throws when it never does. */
  passUntil(holds: () => boolean | Promise<boolean>, atMost: number): Promise<void>
}

export type VirtualTimeOptions = {
  readonly start: Date
  /** False while something is under way outside of this process' own turns, such as a request. */
  readonly isQuiet?: () => boolean
}

/** Turns of the event loop after which the store and its readers have come to rest. */
const TURNS = 12

export function virtualTime({ start, isQuiet = () => true }: VirtualTimeOptions): VirtualTime {
  type Entry = { readonly at: number; readonly action: () => void }
  const entries = new Set<Entry>()
  let now = 0

  const rest = async () => {
    for (let quiet = 0; quiet < TURNS; quiet = isQuiet() ? quiet + 1 : 0) await setImmediate()
  }

  /** Fires the next timer, no later than `until`. */
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
