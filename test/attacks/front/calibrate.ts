import { parse } from 'graphql'
import { cpuTime } from '../../support/cpu-time.ts'

/** How often GraphQL's parser reads this text in a second of CPU time, on the machine that the bounds were made for. */
const REFERENCE = 3_000
const TEXT = `{ ${'a(b: 1) { c } '.repeat(90)} }`
/** Systems may count CPU time in steps of some milliseconds. */
const MEASURED_MS = 100

/** How many times slower this machine is at the moment than the one that the bounds were made for; never below 1. */
export function slownessOfMachine(): number {
  const begun = cpuTime()
  let rounds = 0
  do {
    parse(TEXT)
    rounds += 1
  } while (cpuTime() - begun < MEASURED_MS)
  return Math.max(1, (REFERENCE * (cpuTime() - begun)) / 1_000 / rounds)
}
