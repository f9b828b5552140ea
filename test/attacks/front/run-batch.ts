import { setTimeout as sleep } from 'node:timers/promises'
import type { Attack } from './attack.ts'
import type { FuzzedServer } from './fuzzed-server.ts'
import { perform, type Outcome } from './perform.ts'
import type { Turn } from './server-meter.ts'

/** A completed attack; `from` and `until` are milliseconds since the epoch. */
export type Performed = {
  readonly attack: Attack
  readonly outcome: Outcome
  readonly from: number
  readonly until: number
}

export type Batch = {
  readonly performed: readonly Performed[]
  readonly turns: readonly Turn[]
  /** Attacks in flight when the server hung (it was then restarted); null if it did not hang. */
  readonly hung: readonly Attack[] | null
}

/** Attacks in flight at once. */
const AT_ONCE = 6
const LOOK_MS = 200
/** After the last answer, the server can still be at work on it. */
const AFTERWARDS_MS = 30

/** Carries out attacks, `AT_ONCE` at a time, and measures the server meanwhile. `beside` runs at the same time. */
export async function runBatch(
  server: FuzzedServer,
  attacks: readonly Attack[],
  beside: () => Promise<void> = async () => {},
): Promise<Batch> {
  await server.meter.read()
  const waiting = [...attacks]
  const underWay = new Set<Attack>()
  const performed: Performed[] = []
  let hung: readonly Attack[] | null = null
  const work = async () => {
    for (let attack = waiting.shift(); attack !== undefined && hung === null; attack = waiting.shift()) {
      underWay.add(attack)
      const from = Date.now()
      const outcome = await perform(attack, server.url).catch(() => null)
      underWay.delete(attack)
      if (outcome !== null) performed.push({ attack, outcome, from, until: Date.now() })
    }
  }
  const all = Promise.all([beside(), ...Array.from({ length: AT_ONCE }, work)]).then(() => sleep(AFTERWARDS_MS))
  const turns: Turn[] = []
  for (let over = false; !over;) {
    over = await Promise.race([all.then(() => true), sleep(LOOK_MS, false)])
    const report = await server.meter.read()
    if (report === null) {
      hung = [...underWay]
      await server.restart()
      await all
      return { performed: [], turns: [], hung }
    }
    turns.push(...report.turns)
  }
  return { performed, turns, hung }
}
