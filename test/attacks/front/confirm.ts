import { again, type Attack } from './attack.ts'
import { slownessOfMachine } from './calibrate.ts'
import type { FuzzedServer } from './fuzzed-server.ts'
import { runBatch, type Batch } from './run-batch.ts'

/** An attack that holds up the server; `cpuMs` is Infinity when it does for good. */
export type Slow = { readonly attack: Attack; readonly cpuMs: number }

const TRIES = 3
let round = 0

/**
 * Of some attacks, those that hold up the event loop for longer than `mostMs` of CPU time whenever they are made alone: what
 * else ran at the same time, a collection of garbage, or a program that was not yet warm is none of their doing.
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

/**
 * The attacks of a batch that may have caused turns of more than `mostMs`: those that were under way meanwhile.
 */
export function suspectsIn({ performed, turns, hung }: Batch, mostMs: number): readonly Attack[] {
  if (hung !== null) return hung
  const long = turns.filter(({ cpuMs }) => cpuMs > mostMs)
  return performed
    .filter((each) => long.some(({ from, until }) => each.from <= until && each.until >= from))
    .map(({ attack }) => attack)
}
