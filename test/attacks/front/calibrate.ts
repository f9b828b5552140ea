import { parse } from 'graphql'
import { cpuTime } from '../../support/cpu-time.ts'

/** How often GraphQL's parser reads `TEXT` per second of CPU time on the machine for which the bounds were chosen. */
const REFERENCE = 3_000
const TEXT = `{ ${'a(b: 1) { c } '.repeat(90)} }`
/** Operating systems can count CPU time in steps of several milliseconds. */
const MEASURED_MS = 100

/** Returns how many times slower this machine currently is than the one for which the bounds were chosen; at least 1. */
export function slownessOfMachine(): number {
  const begun = cpuTime()
  let rounds = 0
  do {
    parse(TEXT)
    rounds += 1
  } while (cpuTime() - begun < MEASURED_MS)
  return Math.max(1, (REFERENCE * (cpuTime() - begun)) / 1_000 / rounds)
}
