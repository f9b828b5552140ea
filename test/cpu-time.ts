import { readFileSync } from 'node:fs'

/** Milliseconds of this thread's own time: a machine that is busy with something else takes longer by the clock. */
export function cpuTime(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** Seconds of CPU time of another process, of all its threads (proc(5)): what it did does not depend on what else the machine does. */
export function cpuSecondsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / 100
}
