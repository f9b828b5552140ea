import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { cpuSecondsOf } from '../../../test/support/cpu-time.ts'
import { waitedSecondsOf } from '../cpu.ts'
import { STATUSES } from './requests.ts'
import type { Counts, Order, Totals } from './sender.ts'

/** What webhooks are sent to: one process, or several that share a database. */
export type Receiver = { readonly urls: readonly string[]; readonly pids: readonly number[] }

export type Load = {
  /** Webhooks per second; null for as many as are answered. */
  readonly perSecond: number | null
  readonly seconds: number
  /** How many webhooks to make ready for each second. */
  readonly expectedPerSecond: number
  /** Whether payments are sent again when all have been: for a receiver that remembers nothing. */
  readonly again: boolean
}

export type Measured = Counts & {
  readonly perSecond: number
  /** CPU time of the receiving processes, for each webhook, in microseconds. */
  readonly cpuUs: number
  /** Share of one core that the receiving processes, and the sender, took. */
  readonly receiverLoad: number
  readonly senderLoad: number
  /** Share of the time for which the main threads of the receiving processes were ready to run and had no core; their mean. */
  readonly waited: number
  readonly totals: Totals
}

export type Sender = {
  measure(receiver: Receiver, load: Load): Promise<Measured>
  stop(): void
}

/** Until all connections are at work: at most so long, and half of what is measured. */
const MAX_RAMP_SECONDS = 0.5

/** Starts the process of the load, with so many connections for each measurement. */
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
