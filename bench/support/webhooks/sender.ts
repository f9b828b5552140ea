/**
 * The load, in a separate process: keep-alive connections send webhooks that were created and signed before. Each connection sends those of
 * its own payments, one after another. The parent process sends the orders as messages.
 */
import { connect, type Socket } from 'node:net'
import { requestsOfPayment, STATUSES } from './requests.ts'

export type Order =
  | { readonly kind: 'prepare'; readonly payments: number; readonly urls: readonly string[] }
  /** `perSecond`: webhooks per second, whether or not earlier ones are answered; null: each connection sends as soon as it is answered. */
  | { readonly kind: 'start'; readonly connections: number; readonly perSecond: number | null; readonly again: boolean }
  | { readonly kind: 'count' }
  | { readonly kind: 'stop' }

/** Counts since the last order `count`. */
export type Counts = {
  readonly answered: number
  /** Milliseconds from the moment when each webhook was due, or sent, to its answer. */
  readonly took: readonly number[]
  readonly elapsedMs: number
  /** CPU time of this process. */
  readonly cpuMs: number
  /** True if no webhook was left to send: then the rate is not that of the receiver. */
  readonly exhausted: boolean
}

/** Totals since the start. */
export type Totals = {
  readonly payments: number
  readonly webhooks: number
  /** Webhooks that were not answered with 200, by the status of the answer, or `closed`. */
  readonly refused: Readonly<Record<string, number>>
}

type Connection = { readonly socket: Socket; payment: readonly Buffer[]; next: number; sentAt: number; idle: boolean }

let prepared: (readonly Buffer[])[] = []
let addresses: { readonly host: string; readonly port: number }[] = []
let taken = 0
let options = { perSecond: null as number | null, again: false }
let connections: Connection[] = []
let stopping = false
let exhausted = false
let finished = () => {}
let timer: NodeJS.Timeout | undefined
/** Open loop: its start, and the number of webhooks that were sent since then. */
let begun = 0
let due = 0
let totals = nothing()
let counts = fresh()

function nothing() {
  return { payments: 0, webhooks: 0, refused: {} as Record<string, number> }
}

function fresh() {
  return { answered: 0, took: [] as number[], since: performance.now(), cpu: process.cpuUsage() }
}

function prepare(payments: number, urls: readonly string[]): void {
  addresses = urls.map((url) => ({ host: new URL(url).hostname, port: Number(new URL(url).port) }))
  prepared = Array.from({ length: payments }, () => requestsOfPayment())
  taken = 0
}

async function start(number: number): Promise<void> {
  stopping = false
  exhausted = false
  totals = nothing()
  connections = await Promise.all(Array.from({ length: number }, (_, index) => open(index)))
  counts = fresh()
  begun = performance.now()
  due = 0
  if (options.perSecond === null) for (const connection of connections) send(connection, performance.now())
  else timer = setInterval(sendDue, 1)
}

function open(index: number): Promise<Connection> {
  return new Promise((resolve, reject) => {
    const address = addresses[index % addresses.length]
    if (address === undefined) throw new Error('Nothing is prepared.')
    const socket = connect(address).setNoDelay(true)
    const connection = { socket, payment: [], next: STATUSES.length, sentAt: 0, idle: true }
    let partial = ''
    socket.once('error', reject)
    socket.once('connect', () => resolve(connection))
    socket.on('data', (chunk) => {
      const status = statusOf((partial += chunk.toString('latin1')))
      if (status === null) return
      partial = ''
      answered(connection, status)
    })
    socket.once('close', () => {
      if (!connection.idle) answered(connection, 'closed')
    })
  })
}

/** Returns the status of a response; null if the response is incomplete. */
function statusOf(answer: string): string | null {
  const headerEnd = answer.indexOf('\r\n\r\n')
  if (headerEnd === -1) return null
  const length = /\r\ncontent-length: (\d+)/i.exec(answer)?.[1] ?? '0'
  return answer.length < headerEnd + 4 + Number(length) ? null : answer.slice(9, 12)
}

/** Sends the next webhook of the connection's payment, or the first one of another payment. Returns false if there is none. */
function send(connection: Connection, at: number): boolean {
  if (connection.next === STATUSES.length) {
    const payment = stopping ? undefined : takePayment()
    if (payment === undefined) {
      connection.idle = true
      return false
    }
    connection.payment = payment
    connection.next = 0
    totals.payments += 1
  }
  const request = connection.payment[connection.next]
  if (request === undefined) throw new Error('A payment has fewer webhooks than statuses.')
  connection.next += 1
  connection.idle = false
  connection.sentAt = at
  totals.webhooks += 1
  connection.socket.write(request)
  return true
}

function takePayment(): readonly Buffer[] | undefined {
  if (taken >= prepared.length && options.again) taken = 0
  const payment = prepared[taken]
  if (payment === undefined) exhausted = true
  taken += 1
  return payment
}

function answered(connection: Connection, status: string): void {
  const now = performance.now()
  counts.took.push(now - connection.sentAt)
  if (status === '200') counts.answered += 1
  else totals.refused[status] = (totals.refused[status] ?? 0) + 1
  connection.idle = true
  // The other webhooks of a closed connection's payment are not sent.
  if (status === 'closed') connection.next = STATUSES.length
  else if (options.perSecond === null || stopping) send(connection, now)
  else sendDue()
  if (stopping && connections.every(({ idle }) => idle)) finished()
}

/**
 * Open loop: sends due webhooks over idle connections. Without an idle connection, a webhook is sent late, and its duration counts from
 * when it was due.
 */
function sendDue(): void {
  const everyMs = 1_000 / (options.perSecond ?? 1)
  for (const connection of connections) {
    if (stopping || begun + due * everyMs > performance.now()) return
    if (connection.idle && !connection.socket.destroyed && send(connection, begun + due * everyMs)) due += 1
  }
}

/** Stops after every payment that was started has reached its last status. */
async function stop(): Promise<Totals> {
  clearInterval(timer)
  stopping = true
  const ended = new Promise<void>((resolve) => (finished = resolve))
  if (options.perSecond !== null)
    for (const connection of connections) if (connection.idle) send(connection, performance.now())
  if (connections.every(({ idle }) => idle)) finished()
  await ended
  for (const { socket } of connections) socket.destroy()
  return totals
}

function count(): Counts {
  const { answered: done, took, since, cpu } = counts
  const { user, system } = process.cpuUsage(cpu)
  counts = fresh()
  return { answered: done, took, elapsedMs: counts.since - since, cpuMs: (user + system) / 1_000, exhausted }
}

async function carryOut(order: Order): Promise<Counts | Totals | null> {
  if (order.kind === 'prepare') prepare(order.payments, order.urls)
  if (order.kind === 'start') {
    options = order
    await start(order.connections)
  }
  if (order.kind === 'count') return count()
  return order.kind === 'stop' ? stop() : null
}

process.on('message', (order: Order) => {
  carryOut(order).then(
    (reply) => process.send?.({ reply }),
    (error: unknown) => process.send?.({ error: String(error) }),
  )
})
process.on('disconnect', () => process.exit())
process.send?.({ reply: null })
