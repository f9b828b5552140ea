import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { cpuSecondsOf } from '../test/support/cpu-time.ts'

/**
 * CPU time of a refusal in an overload, compared with a plain Node server that sends the same refusal, and the share of its normal
 * throughput that each server would keep under three times as many requests as it can answer: `npm run bench -- refusals [rounds]`. The
 * lower bound is a plain Node server that refuses without delay: it has only the costs of connection, parser and kernel. The number of
 * requests is fixed, so that a busy machine takes longer and still measures nearly the same CPU time.
 */

const ROUNDS = Number(process.argv[3] ?? 5)
/** Number of requests before the measurement, until the code is compiled: the first thousands cost 1.5 times as much. */
const WARM = 8_000
const REQUESTS = 4_000
const CONNECTIONS = 1_000
/** Assumed CPU times of an answer in microseconds. The second one is that of the query in `bench/overload.ts`. */
const ANSWERS_US = [500, 1_400, 5_000]
const TIMES = 3
const BODY = JSON.stringify({ query: '{ paymentCurrencies { code exponent region versions enabled } }' })

const NAMES = {
  ours: 'this program',
  bare: 'bare node:http',
  atOnce: 'bare node:http that refuses at once',
} as const
const SERVERS = ['ours', 'bare', 'atOnce'] as const

for (const isNew of [false, true]) {
  const measured = await Promise.all(
    SERVERS.map(async (name) => ({ name, child: await start(name), costs: new Array<number>() })),
  )
  for (const { child } of measured) await ask(await fill(child), WARM, isNew)
  for (let round = 0; round < ROUNDS; round += 1)
    for (const { child, costs } of measured) costs.push(await costOf(child, isNew))
  for (const { child } of measured) child.disconnect()

  console.log(`over ${isNew ? 'new' : 'kept'} connections, microseconds for a refusal:`)
  for (const { name, costs } of measured)
    console.log(`  ${NAMES[name].padEnd(36)} ${Math.round(median(costs))} (${costs.join(' ')})`)
  for (const answer of ANSWERS_US) {
    const parts = measured.map(({ name, costs }) => `${NAMES[name]} ${percent(keptOf(answer, median(costs)))}`)
    console.log(`  answers of ${answer} µs: of ${TIMES} times as many requests are kept: ${parts.join(', ')}`)
  }
}

async function start(name: (typeof SERVERS)[number]): Promise<ChildProcess> {
  const child = fork(new URL('./support/refusing-server.ts', import.meta.url), [name])
  await once(child, 'message')
  return child
}

/** Makes the server refuse all requests for the next ten seconds. Returns its port. */
async function fill(child: ChildProcess): Promise<number> {
  child.send('fill')
  const [{ port }] = (await once(child, 'message')) as [AddressInfo]
  return port
}

/** Returns the CPU time of a refusal in microseconds. */
async function costOf(child: ChildProcess, isNew: boolean): Promise<number> {
  const port = await fill(child)
  const before = cpuSecondsOf(child.pid ?? 0)
  await ask(port, REQUESTS, isNew)
  return Math.round(((cpuSecondsOf(child.pid ?? 0) - before) * 1_000_000) / REQUESTS)
}

/** Sends a number of requests, a thousand at a time, and resolves after all have been refused. Rejects on another answer. */
function ask(port: number, requests: number, isNew: boolean): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const lines = ['POST /graphql HTTP/1.1', 'Host: x', 'Content-Type: application/json']
  if (isNew) lines.push('Connection: close')
  const request = `${lines.join('\r\n')}\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`
  let left = requests
  let answered = 0

  const next = (socket: Socket) => {
    if (left === 0) return socket.end()
    left -= 1
    return socket.write(request)
  }
  const open = () => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    socket.setEncoding('latin1').on('error', reject)
    socket.on('data', (text: string) => {
      if (!text.startsWith('HTTP/1.1 503')) return reject(new Error(`Not refused: ${text}`))
      answered += 1
      if (answered === requests) resolve()
      if (!isNew) return void next(socket)
      if (left > 0) open()
      return undefined
    })
    next(socket)
  }
  for (let index = 0; index < Math.min(CONNECTIONS, requests); index += 1) open()
  return promise
}

/** Returns the share of its normal throughput that a process keeps, if an answer and a refusal take so much of its CPU time. */
function keptOf(answer: number, refusal: number): number {
  return Math.max(0, (answer - TIMES * refusal) / (answer - refusal))
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
}

function percent(part: number): string {
  return `${Math.round(part * 100)} %`
}
