import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { deliver, paymentBody } from '../../test/support/webhooks.ts'
import type { Answers, Order } from './overload-clients.ts'

export type Clients = {
  /** Returns the counts of these requests over `milliseconds`, after one second of warm-up. The load continues until the next order. */
  load(order: Order, milliseconds: number): Promise<Answers>
  /** Returns the counts since the last call. */
  count(): Promise<Answers>
  /** Replaces the load with this one. */
  begin(order: Order): void
  stop(): void
}

/** Starts the process of `overload-clients.ts`. */
export async function startClients(): Promise<Clients> {
  const clients = fork(new URL('./overload-clients.ts', import.meta.url))
  await once(clients, 'message')
  const count = async () => {
    clients.send('count')
    const [counts] = (await once(clients, 'message')) as [Answers]
    return counts
  }
  const begin = (order: Order) => void clients.send(order)
  return {
    count,
    begin,
    async load(order, milliseconds) {
      begin(order)
      await sleep(1_000)
      await count()
      await sleep(milliseconds)
      return count()
    },
    stop: () => void clients.send('stop'),
  }
}

export type Sent = {
  readonly uuid: string
  readonly status: number
  /** From the scheduled time to the answer, in milliseconds. */
  readonly took: number
}

/**
 * Sends webhooks at a steady rate, each over a connection of its own, whether earlier ones are answered or not. The returned function stops
 * it and returns all results.
 */
export function sendWebhooks(url: string, everyMs: number): () => Promise<Sent[]> {
  const sending: Promise<Sent>[] = []
  const begun = performance.now()
  const send = async (turn: number): Promise<Sent> => {
    const uuid = `overload-${Math.round(begun)}-${turn}`
    const status = await deliver(`${url}/webhooks/payments`, paymentBody({ uuid })).then(
      (reply) => reply.status,
      () => 0,
    )
    return { uuid, status, took: performance.now() - begun - turn * everyMs }
  }
  const timer = setInterval(() => {
    while (begun + sending.length * everyMs <= performance.now()) sending.push(send(sending.length))
  }, everyMs)
  return () => {
    clearInterval(timer)
    return Promise.all(sending)
  }
}

/** Returns the value below which this part (0 to 1) of the values lies; NaN for none. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.ceil(sorted.length * part) - 1] ?? Number.NaN
}
