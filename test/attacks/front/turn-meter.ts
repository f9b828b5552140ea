/**
 * Loaded before the program: measures the CPU time of the turns of its event loop, and reports to the parent process on request. A timer
 * fires every few milliseconds, so that the CPU time between two ticks is that of one long turn, or of a few short ones that fit between
 * them. CPU time of other processes does not count.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { cpuTime } from '../../support/cpu-time.ts'
import type { MeterReport, Turn } from './server-meter.ts'

const TICK_MS = 5
/** Shorter turns are not reported. */
const NOTABLE_MS = 20

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

let turns: Turn[] = []
let cpu = cpuTime()
let from = Date.now()

function tick(): void {
  const used = cpuTime() - cpu
  const until = Date.now()
  if (used >= NOTABLE_MS) turns.push({ from, until, cpuMs: used })
  cpu += used
  from = until
}

function bytesInUse(): number {
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

setInterval(tick, TICK_MS).unref()
process.on('message', ({ id, collect }: { id: number; collect: boolean }) => {
  tick()
  const report: MeterReport & { id: number } = { id, turns, bytes: collect ? bytesInUse() : null }
  turns = []
  process.send?.(report)
  // The garbage collection is not a turn of the program.
  if (collect) cpu = cpuTime()
})
// The program must be able to end when its own work is done.
process.channel?.unref()
