import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { deliver, paymentBody } from '../support/webhooks.ts'
import type { Answers, Order } from './overload-clients.ts'

export type Clients = {
  /** What came of these questions, within so many milliseconds after the first second. They go on until the next order. */
  load(order: Order, milliseconds: number): Promise<Answers>
  /** What has come since the last count. */
  count(): Promise<Answers>
  /** Begins with other questions. */
  begin(order: Order): void
  stop(): void
}

/** Starts the process of the clients. */
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
  /** From the moment when it was due, in milliseconds. */
  readonly took: number
}

/** Sends webhooks at a steady pace, each over a connection of its own, whether those before are answered or not. */
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

/** The value below which a part of the values lies. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.ceil(sorted.length * part) - 1] ?? Number.NaN
}
