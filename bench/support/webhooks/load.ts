import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { cpuSecondsOf } from '../../../test/support/cpu-time.ts'
import { waitedSecondsOf } from '../cpu.ts'
import { STATUSES } from './requests.ts'
import type { Counts, Order, Totals } from './sender.ts'

/** The receiver of webhooks: one process, or several processes with one database. */
export type Receiver = { readonly urls: readonly string[]; readonly pids: readonly number[] }

export type Load = {
  /** Webhooks per second; null: as many as are answered. */
  readonly perSecond: number | null
  readonly seconds: number
  /** Number of webhooks to prepare for each second. */
  readonly expectedPerSecond: number
  /** True if payments are sent again after all have been sent, for a receiver without a database. */
  readonly again: boolean
}

export type Measured = Counts & {
  readonly perSecond: number
  /** CPU time of the receiving processes per webhook, in microseconds. */
  readonly cpuUs: number
  /** Share of one core that the receiving processes used; `senderLoad` is that of the sender. */
  readonly receiverLoad: number
  readonly senderLoad: number
  /** Share of the time for which the main threads of the receiving processes were ready to run but had no core; their mean. */
  readonly waited: number
  readonly totals: Totals
}

export type Sender = {
  measure(receiver: Receiver, load: Load): Promise<Measured>
  stop(): void
}

/** Maximum time before a measurement until all connections are busy. It is also at most half of the measured time. */
const MAX_RAMP_SECONDS = 0.5

/** Starts the process of the load, which opens `connections` connections for each measurement. */
export async function startSender(connections: number): Promise<Sender> {
  const child = fork(new URL('./sender.ts', import.meta.url), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  await once(child, 'message')
  const ask = async (order: Order): Promise<unknown> => {
    child.send(order)
    const [{ reply, error }] = (await once(child, 'message')) as [{ reply?: unknown; error?: string }]
    if (error !== undefined) throw new Error(`The load failed: ${error}`)
    return reply
  }
  const waitedOf = ({ pids }: Receiver) => pids.reduce((sum, pid) => sum + waitedSecondsOf(pid), 0) / pids.length
  const cpuOf = ({ pids }: Receiver) => pids.reduce((sum, pid) => sum + cpuSecondsOf(pid), 0)

  return {
    async measure(receiver, { perSecond, seconds, expectedPerSecond, again }) {
      const ramp = Math.min(MAX_RAMP_SECONDS, seconds / 2)
      const payments = Math.ceil((expectedPerSecond * (seconds + ramp)) / STATUSES.length) + connections
      await ask({ kind: 'prepare', payments, urls: receiver.urls })
      await ask({ kind: 'start', connections, perSecond, again })
      await sleep(ramp * 1_000)
      await ask({ kind: 'count' })
      const before = { cpu: cpuOf(receiver), waited: waitedOf(receiver) }
      await sleep(seconds * 1_000)
      const counts = (await ask({ kind: 'count' })) as Counts
      const cpu = cpuOf(receiver) - before.cpu
      const waited = waitedOf(receiver) - before.waited
      const totals = (await ask({ kind: 'stop' })) as Totals
      const elapsed = counts.elapsedMs / 1_000
      return {
        ...counts,
        totals,
        perSecond: counts.answered / elapsed,
        cpuUs: (cpu * 1e6) / counts.answered,
        receiverLoad: cpu / elapsed,
        waited: waited / elapsed,
        senderLoad: counts.cpuMs / counts.elapsedMs,
      }
    },
    stop() {
      if (child.connected) child.disconnect()
    },
  }
}
