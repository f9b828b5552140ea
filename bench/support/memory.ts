import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** Node options of a process whose memory is measured. */
export const COLLECTS_GARBAGE = ['--expose-gc', '--import', new URL('./gc-on-signal.ts', import.meta.url).href]

const SETTLE_MS = 700
const MOST_TRIES = 12
/** Share of the memory. If a garbage collection frees less, the memory has settled. */
const SETTLED = 0.002

/**
 * Returns the resident bytes of a process that was started with `COLLECTS_GARBAGE`, when garbage collection frees nothing more, or after 12
 * attempts.
 */
export async function settledBytes(pid: number): Promise<number> {
  let before = Infinity
  for (let attempt = 0; attempt < MOST_TRIES; attempt += 1) {
    process.kill(pid, 'SIGWINCH')
    await sleep(SETTLE_MS)
    const bytes = residentBytes(pid)
    if (bytes > before * (1 - SETTLED)) return bytes
    before = bytes
  }
  return before
}

/** Returns the resident memory of a process in bytes (proc(5), VmRSS). */
export function residentBytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kilobytes) * 1_024
}
