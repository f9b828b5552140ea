import { readdirSync, readFileSync } from 'node:fs'

/** Returns the CPU time of the threads of a process in seconds (proc(5); `schedstat` has nanoseconds, unlike the ticks of `stat`). */
export function cpuSecondsOfThreads(pid: number): number {
  return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => sum + ranAndWaited(`${pid}/task/${thread}`)[0], 0)
}

/** Returns the seconds for which the main thread of a process was ready to run and did not run. */
export function waitedSecondsOf(pid: number): number {
  return ranAndWaited(String(pid))[1]
}

/** Returns the seconds for which a thread ran, and for which it waited; zeros if the thread has ended. */
function ranAndWaited(task: string): [number, number] {
  try {
    const [ran = 0, waited = 0] = readFileSync(`/proc/${task}/schedstat`, 'utf8').split(' ').map(Number)
    return [ran / 1e9, waited / 1e9]
  } catch {
    return [0, 0]
  }
}
