/** Milliseconds of this thread's own time: a machine that is busy with something else takes longer by the clock. */
export function cpuTime(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
