import { parse } from 'graphql'
import { BEYOND, LARGE } from '../test/attacks/gate-documents.ts'
import { productionAdmission } from '../test/attacks/gate.ts'
import { cpuTime } from '../test/support/cpu-time.ts'

/**
 * CPU time to admit or refuse the largest operations, as a multiple of the time that graphql-js takes to parse their text:
 * `npm run bench -- admission`. The cache of admitted documents is empty each time.
 */

/** Milliseconds of CPU time for which a work is repeated. */
const LEAST_MS = 300

for (const [kind, documents] of [
  ['admitted', LARGE],
  ['refused', BEYOND],
] as const) {
  console.log(`${kind}: milliseconds, and times the parser`)
  for (const [name, query] of documents) {
    const parsed = costOf(() => tryParse(query))
    const empty = costOf(() => void productionAdmission())
    const admission = costOf(() => void productionAdmission().admit({ query }, false)) - empty
    console.log(`  ${name.padEnd(40)} ${admission.toFixed(2)} ms  ${(admission / parsed).toFixed(1)} ×`)
  }
}

/** Returns the CPU time of some work in milliseconds. */
function costOf(work: () => void): number {
  work()
  const begun = cpuTime()
  let count = 0
  for (; cpuTime() - begun < LEAST_MS; count += 1) work()
  return (cpuTime() - begun) / count
}

function tryParse(text: string): void {
  try {
    parse(text)
  } catch {
    // A text that cannot be parsed is refused where the parser stops.
  }
}
