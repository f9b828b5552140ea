import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** A period in which the event loop was blocked; `from` and `until` are milliseconds since the epoch. */
export type Turn = { readonly from: number; readonly until: number; readonly cpuMs: number }

export type MeterReport = {
  /** Long turns since the last report. */
  readonly turns: readonly Turn[]
  /** Bytes of the heap and of buffers outside of it, after a garbage collection; null if no collection was requested. */
  readonly bytes: number | null
}

export type ServerMeter = {
  /** Returns the measurements since the last report; null if the server's event loop hangs or the server has ended. */
  read(options?: { readonly collect?: boolean }): Promise<MeterReport | null>
  /** Resolves when the server has no more work, or after `HUNG_MS`. */
  idle(): Promise<void>
  /** Resolves after `count` answers of its event loop, at most 1,000 per second. */
  turns(count: number): Promise<void>
}

/** CPU time of one turn after which the server counts as hung: far more than any turn may take. */
const HUNG_CPU_MS = 2_000
/** The same in elapsed time, for a server that blocks without using CPU time. */
const HUNG_MS = 60_000
const LOOK_MS = 100
/** A server with work does about a millisecond of it in each turn; an idle server uses little CPU time for these turns. */
const TURNS = 200
const IDLE_CPU_MS = 100
/** Linux counts the CPU time of processes in hundredths of a second (proc_pid_stat(5)). */
const CLOCK_TICK_MS = 10

/** Creates the client of the meter in a server that was started with `turn-meter.ts` and an IPC channel. */
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

/** Resolves with null if the server has ended, or has used more CPU time than any turn may take and has not answered. */
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

/** Returns the CPU time of a process in milliseconds; 0 for one that has ended. */
function cpuOf(pid: number | undefined): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) * CLOCK_TICK_MS
  } catch {
    return 0
  }
}
