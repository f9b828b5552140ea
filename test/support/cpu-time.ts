import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'

/** Returns the CPU time of this thread in milliseconds. Unlike a clock, it does not count the time of other processes. */
export function cpuTime(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** Returns the CPU time of all threads of a process in seconds (proc(5)). It does not count the time of other processes. */
export function cpuSecondsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** The cores of a measured server, and of its clients. */
export const SERVER_CORE = 0
export const LOAD_CORE = 1

/**
 * Binds a process with all its threads to a core, by taskset(1); does nothing where that or the core is missing. Clients that wait for a
 * server are otherwise moved to its core, where both answer and ask at half of the speed.
 */
export function bindToCore(pid: number | undefined, core: number): void {
  if (pid === undefined || core >= availableParallelism()) return
  spawnSync('taskset', ['-a', '-p', '-c', String(core), String(pid)], { stdio: 'ignore' })
}
