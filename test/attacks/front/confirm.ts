import { again, type Attack } from './attack.ts'
import { slownessOfMachine } from './calibrate.ts'
import type { FuzzedServer } from './fuzzed-server.ts'
import { runBatch, type Batch } from './run-batch.ts'

/** An attack that blocks the server; `cpuMs` is Infinity if the server hangs. */
export type Slow = { readonly attack: Attack; readonly cpuMs: number }

const TRIES = 3
let round = 0

/**
 * Returns the attacks that block the event loop for more than `mostMs` of CPU time (more on a slow machine) in each of three runs alone.
 * Concurrent attacks, a garbage collection, or code that is not compiled yet are thus excluded.
 */
export async function confirmed(server: FuzzedServer, suspects: readonly Attack[], mostMs: number): Promise<Slow[]> {
  const found: Slow[] = []
  for (const attack of suspects) {
    const cpuMs = await leastTurn(server, attack, mostMs)
    if (cpuMs > mostMs * slownessOfMachine()) found.push({ attack, cpuMs })
  }
  return found
}

async function leastTurn(server: FuzzedServer, attack: Attack, mostMs: number): Promise<number> {
  let least = Infinity
  for (let attempt = 0; attempt < TRIES && least > mostMs; attempt += 1) {
    const { hung, turns } = await runBatch(server, [again(attack, (round += 1))])
    if (hung !== null) return Infinity
    least = Math.min(least, Math.max(0, ...turns.map(({ cpuMs }) => cpuMs)))
  }
  return least
}

/** Returns the attacks of a batch that can have caused turns of more than `mostMs`: those that were in flight during such a turn. */
export function suspectsIn({ performed, turns, hung }: Batch, mostMs: number): readonly Attack[] {
  if (hung !== null) return hung
  const long = turns.filter(({ cpuMs }) => cpuMs > mostMs)
  return performed
    .filter((each) => long.some(({ from, until }) => each.from <= until && each.until >= from))
    .map(({ attack }) => attack)
}
