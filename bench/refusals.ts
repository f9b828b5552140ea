import { fork } from 'node:child_process'
import { once } from 'node:events'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { cpuSecondsOf } from '../test/support/cpu-time.ts'

/**
 * What a refusal costs in an overload, in processor time of the process, against Node's own server with the same refusal, and how
 * much of its usual answers each would keep under three times what it can answer: `npm run bench -- refusals [rounds]`. The
 * number of requests is fixed, so that a busy machine takes longer and counts nearly the same.
 */

const ROUNDS = Number(process.argv[3] ?? 5)
const WARM = 2_000
const REQUESTS = 4_000
const CONNECTIONS = 1_000
/** What an answer may cost, in microseconds: the question of `bench/overload.ts` costs the second. */
const ANSWERS_US = [500, 1_400, 5_000]
const TIMES = 3
const BODY = JSON.stringify({ query: '{ paymentCurrencies { code exponent region versions enabled } }' })

const refusals = { ours: 'this program', bare: 'bare node:http' } as const
type Server = keyof typeof refusals

for (const isNew of [false, true]) {
  const costs: Record<Server, number[]> = { ours: [], bare: [] }
  for (let round = 0; round < ROUNDS; round += 1)
    for (const server of ['ours', 'bare'] as const) costs[server].push(await costOf(server, isNew))
  const [ours, bare] = [median(costs.ours), median(costs.bare)]
  console.log(`over ${isNew ? 'new' : 'kept'} connections, microseconds for a refusal:`)
  for (const server of ['ours', 'bare'] as const)
    console.log(`  ${refusals[server].padEnd(15)} ${Math.round(median(costs[server]))} (${costs[server].join(' ')})`)
  for (const answer of ANSWERS_US) {
    const [kept, ofBare] = [keptOf(answer, ours), keptOf(answer, bare)]
    const parts = `${percent(kept)}; bare node:http ${percent(ofBare)}: ${(kept / ofBare).toFixed(2)} of it`
    console.log(`  answers of ${answer} µs: ${TIMES} times as many requests leave ${parts}`)
  }
}

/** Microseconds of processor time. */
async function costOf(server: Server, isNew: boolean): Promise<number> {
  const child = fork(new URL('./support/refusing-server.ts', import.meta.url), [server])
  const [{ port }] = (await once(child, 'message')) as [AddressInfo]
  await ask(port, WARM, isNew)
  child.send('fill')
  await once(child, 'message')
  const before = cpuSecondsOf(child.pid ?? 0)
  await ask(port, REQUESTS, isNew)
  const cost = ((cpuSecondsOf(child.pid ?? 0) - before) * 1_000_000) / REQUESTS
  child.disconnect()
  await once(child, 'exit')
  return Math.round(cost)
}

/** Sends so many requests, a thousand at once, and waits until all of them have been refused. */
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

/** Of what a process can answer: each answer and each refusal take their part of its time. */
function keptOf(answer: number, refusal: number): number {
  return Math.max(0, (answer - TIMES * refusal) / (answer - refusal))
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
}

function percent(part: number): string {
  return `${Math.round(part * 100)} %`
}
