import { readdirSync, readFileSync } from 'node:fs'

/** Seconds of CPU time that the threads of a process have had (proc(5), schedstat: in nanoseconds, unlike stat's ticks). */
export function cpuSecondsOfThreads(pid: number): number {
  return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => sum + ranAndWaited(`${pid}/task/${thread}`)[0], 0)
}

/** Seconds for which the main thread of a process was ready to run and did not. */
export function waitedSecondsOf(pid: number): number {
  return ranAndWaited(String(pid))[1]
}

/** Seconds. Nothing of a thread that has ended meanwhile. */
function ranAndWaited(task: string): [number, number] {
  try {
    const [ran = 0, waited = 0] = readFileSync(`/proc/${task}/schedstat`, 'utf8').split(' ').map(Number)
    return [ran / 1e9, waited / 1e9]
  } catch {
    return [0, 0]
  }
}
