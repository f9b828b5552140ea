import { readFileSync } from 'node:fs'

/** Other processes share the machine: only the processor's time counts, and the shortest of some tries. */
const TRIES = 30

/** Milliseconds of this thread's own time: a machine that is busy with something else takes longer by the clock. */
export function cpuTime(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** The processor's time for some work, in milliseconds: the shortest of some tries, and none after one below the bound. */
export function shortestTime(bound: number, work: () => void): number {
  let shortest = Infinity
  for (let round = 0; round < TRIES && shortest >= bound; round += 1) {
    const begun = cpuTime()
    work()
    shortest = Math.min(shortest, cpuTime() - begun)
  }
  return shortest
}

/** Seconds of CPU time of another process, of all its threads (proc(5)): what it did does not depend on what else the machine does. */
export function cpuSecondsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / 100
}
