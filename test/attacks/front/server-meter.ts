import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** A stretch in which the event loop did not come round; `from` and `until` in milliseconds since the epoch. */
export type Turn = { readonly from: number; readonly until: number; readonly cpuMs: number }

export type MeterReport = {
  /** Long turns since the last report. */
  readonly turns: readonly Turn[]
  /** Of the heap, and of buffers outside of it, after a collection of garbage; null where none was asked for. */
  readonly bytes: number | null
}

export type ServerMeter = {
  /** What was measured since the last report; null when the server's event loop does not come round any more. */
  read(options?: { readonly collect?: boolean }): Promise<MeterReport | null>
  /** Resolves when the server has nothing more to do, or is never done. */
  idle(): Promise<void>
  /** Resolves when its event loop has come round so often, at most a thousand times a second. */
  turns(count: number): Promise<void>
}

/** CPU time in one turn, after which the server counts as hung: far more than any turn may take. */
const HUNG_CPU_MS = 2_000
/** The same by the clock, for a server that blocks without using its processor. */
const HUNG_MS = 60_000
const LOOK_MS = 100
/** A server with work to do begins a piece of it, of about a millisecond, in each turn; one without needs little for these. */
const TURNS = 200
const IDLE_CPU_MS = 100
/** Linux counts the time of processes in hundredths of a second (proc_pid_stat(5)). */
const CLOCK_TICK_MS = 10

/** Speaks with the meter in a server that was started with `turn-meter.ts` and a channel. */
export function createServerMeter(child: ChildProcess): ServerMeter {
  const waiting = new Map<number, (report: MeterReport) => void>()
  let count = 0
  child.on('message', (report: MeterReport & { id: number }) => {
    waiting.get(report.id)?.(report)
    waiting.delete(report.id)
  })
  const read = async ({ collect = false } = {}) => {
    const id = (count += 1)
    const report = new Promise<MeterReport>((resolve) => waiting.set(id, resolve))
    if (child.connected) child.send({ id, collect })
    return Promise.race([report, hung(child, report)])
  }
  return {
    read,
    async idle() {
      const begun = Date.now()
      for (let used = Infinity; used > IDLE_CPU_MS && Date.now() - begun < HUNG_MS;) {
        const before = cpuOf(child.pid)
        for (let turn = 0; turn < TURNS; turn += 1) await read()
        used = cpuOf(child.pid) - before
      }
    },
    async turns(most) {
      for (let turn = 0; turn < most; turn += 1) {
        await read()
        await sleep(1)
      }
    },
  }
}

/** Resolves with null when the server has used more CPU time than any turn may take, and has still not answered. */
async function hung(child: ChildProcess, report: Promise<unknown>): Promise<null> {
  let answered = false
  void report.then(() => (answered = true))
  const begun = Date.now()
  const before = cpuOf(child.pid)
  while (!answered && Date.now() - begun < HUNG_MS && cpuOf(child.pid) - before < HUNG_CPU_MS) {
    if (child.exitCode !== null || child.signalCode !== null) return null
    await sleep(LOOK_MS)
  }
  return null
}

/** Milliseconds of CPU time that a process has used; 0 for one that has ended. */
function cpuOf(pid: number | undefined): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) * CLOCK_TICK_MS
  } catch {
    return 0
  }
}
