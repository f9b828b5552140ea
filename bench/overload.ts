/**
 * A process that receives more than it can answer, compared with itself under its usual load: `npm run bench -- overload [options]`.
 *
 *   --cases <list>       any of `bursts`, `overloads` and `floods`; default: all
 *   --rounds, --seconds, --program, --page: see `support/run-bench.ts`
 *
 * Answers are counted per second of the process's own CPU time, because other programs may use the machine, and each overload is compared
 * with the usual load directly before it.
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { cpuSecondsOf } from '../test/support/cpu-time.ts'
import { SECRETS } from '../test/support/network.ts'
import { bearer } from './support/client-token.ts'
import { type Figure, median, shown, table } from './support/figures.ts'
import type { Order } from './support/overload-clients.ts'
import { quantile, sendWebhooks, startClients, type Clients, type Sent } from './support/overload-load.ts'
import { productionEnv, type ServerProcess, startServer } from './support/processes.ts'
import { type Bench, type Report, runBench } from './support/run-bench.ts'

/** One to two milliseconds of work. Without the shortcuts equal queries are executed each time. */
const FIELDS = 16
const QUERY = `{ ${Array.from({ length: FIELDS }, (_, index) => `a${index}: paymentCurrencies { code exponent region versions enabled }`).join(' ')} }`
const SETTINGS = {
  SHORTCUTS: 'none',
  TRUST_PROXY: 'loopback',
  WEBHOOK_SECRETS: SECRETS.webhook,
  GRAPHQL_LIMITS: `aliases=${FIELDS},rootFields=${FIELDS}`,
}
const BURSTS = [20, 100, 500]
const WAITING = [64, 256]
/** Connections that keep the process busy without long waits. */
const USUAL = 32
const TIMES = 3
/** Connections of a flood. */
const FLOODING = 2_000
/** Milliseconds until the code is compiled, and until requests that are too many are refused. */
const WARM_MS = 8_000
const RAMP_MS = 4_000
const WEBHOOK_EVERY_MS = 20
const ASK_EVERY_MS = 25
const LONGEST_RECOVERY_S = 30

type Measured = {
  readonly perSecond: number
  readonly perCpuSecond: number
  readonly refused: number
  readonly webhooks: readonly Sent[]
}
type Asked = { readonly status: number; readonly took: number }
type Load = Pick<Order, 'perSecond' | 'connections' | 'once' | 'addresses'>

const OVERLOADS: readonly { readonly name: string; readonly connections: number; readonly once: boolean }[] = [
  { name: 'kept connections', connections: 10_000, once: false },
  { name: 'new connections', connections: 10_000, once: true },
]

type Flood = {
  readonly name: string
  readonly addresses: readonly string[]
  readonly bearers: readonly (string | null)[]
}

/** Clients that ask again at once when they are answered or refused, and what others then get that ask little. */
const FLOODS: readonly Flood[] = [
  { name: 'a flood of one address', addresses: ['203.0.113.9'], bearers: [null, bearer('payments:read')] },
  {
    name: 'a flood of 1,000 addresses',
    addresses: Array.from({ length: 1_000 }, (_, index) => `10.0.${index >> 8}.${index & 255}`),
    bearers: [bearer('payments:read')],
  },
]

await runBench({
  name: 'overload',
  title: 'Overload',
  defaults: { rounds: 3, seconds: 5 },
  options: { cases: 'bursts,overloads,floods' },
  run,
})

async function run(bench: Bench): Promise<Report> {
  const cases = bench.option('cases').split(',')
  const figures: Figure[] = cases.includes('bursts') ? await measureBursts(bench) : []
  const clients = await startClients()
  bench.cleanUp.defer(() => clients.stop())
  const server = await start(bench, 'load')
  await clients.load({ url: server.url, query: QUERY, ...usual(false) }, WARM_MS)
  const measuring = { bench, server, clients }
  const rows: string[][] = []
  if (cases.includes('overloads')) {
    figures.push(await measureWaiting(measuring))
    for (const overload of OVERLOADS) {
      const measured = await measureOverload(measuring, overload)
      figures.push(...measured.figures)
      rows.push(measured.row)
    }
  }
  if (cases.includes('floods')) for (const flood of FLOODS) figures.push(...(await measureFlood(measuring, flood)))
  return {
    setting: `Queries of one to two milliseconds, without a token, and webhooks over a connection of their own each, one in ${WEBHOOK_EVERY_MS} ms. Usual: ${USUAL} connections that
wait for their answers. ${TIMES} ×: so many times as many requests, whether earlier ones are answered or not. Answers are counted by the CPU
time of the process.`,
    figures,
    details: [
      table(['over', 'usual/s', 'by CPU', `${TIMES} ×, answered/s`, 'by CPU', 'refused/s', 'kept, each round'], rows),
    ],
  }
}

async function measureBursts(bench: Bench): Promise<Figure[]> {
  let refused = 0
  for (const size of BURSTS) {
    const server = await start(bench, `burst-${size}`)
    refused += failed(await Promise.all(Array.from({ length: size }, () => ask(server.url, null))))
    await server.stop()
  }
  return [figure(`refused of bursts of ${BURSTS.join(', ')} at a fresh process`, refused, { most: 0 })]
}

type Measuring = { readonly bench: Bench; readonly server: ServerProcess; readonly clients: Clients }

async function measureWaiting(measuring: Measuring): Promise<Figure> {
  let refused = 0
  for (const connections of WAITING) {
    const measured = await measure(measuring, { perSecond: null, connections, once: false })
    refused += measured.refused
  }
  return figure(`refused of ${WAITING.join(' and ')} clients that wait for their answers`, refused, { most: 0 })
}

async function measureOverload(measuring: Measuring, { name, connections, once }: (typeof OVERLOADS)[number]) {
  const { bench, server, clients } = measuring
  const results: { before: Measured; over: Measured; recoveredS: number }[] = []
  for (let round = 1; round <= bench.rounds; round += 1) {
    bench.progress(`${TIMES} × over ${name}, round ${round} of ${bench.rounds}`)
    const before = await measure(measuring, usual(once))
    const over = await measure(measuring, { perSecond: TIMES * before.perSecond, connections, once })
    clients.begin({ url: server.url, query: QUERY, perSecond: before.perSecond / 4, connections: 64, once })
    results.push({ before, over, recoveredS: await recovery(server.url, clients) })
  }
  const webhooks = results.flatMap(({ over }) => over.webhooks)
  const kept = results.map(({ before, over }) => over.perCpuSecond / before.perCpuSecond)
  const recoveredS = Math.max(...results.map((result) => result.recoveredS))
  const of = (value: (result: (typeof results)[number]) => number) => shown(median(results.map(value)))
  const title = `${TIMES} × over ${name}`
  return {
    figures: [
      figure(`${title}, answers ÷ usual answers`, median(kept), { decimals: 2, ...(once ? {} : { least: 0.85 }) }),
      figure(`${title}, webhooks not 200`, failed(webhooks), { most: 0 }),
      figure(`${title}, p99 of webhooks`, p99Of(webhooks), { unit: 'ms', most: 1_000 }),
      figure(`${title}, until nothing is refused`, recoveredS, { unit: 's', most: 5 }),
    ],
    row: [
      name,
      of(({ before }) => before.perSecond),
      of(({ before }) => before.perCpuSecond),
      of(({ over }) => over.perSecond),
      of(({ over }) => over.perCpuSecond),
      of(({ over }) => over.refused),
      kept.map((part) => part.toFixed(2)).join(' '),
    ],
  }
}

async function measureFlood(measuring: Measuring, { name, addresses, bearers }: Flood): Promise<Figure[]> {
  measuring.bench.progress(name)
  const before = await measure(measuring, usual(false))
  const asking = bearers.map((token) => askSteadily(measuring.server.url, token))
  const over = await measure(measuring, { perSecond: null, connections: FLOODING, once: false, addresses })
  const figures = [
    figure(`${name}: answers ÷ usual answers`, over.perCpuSecond / before.perCpuSecond, { decimals: 2 }),
    figure(`${name}: p99 of webhooks`, p99Of(over.webhooks), { unit: 'ms', most: 1_000 }),
  ]
  for (const [index, stop] of asking.entries()) {
    const asked = await stop()
    const who = bearers[index] === null ? 'others without a token' : 'those with a token'
    figures.push(figure(`${name}: refused of ${who}`, failed(asked), { most: 0 }))
    figures.push(figure(`${name}: p99 of ${who}`, p99Of(asked), { unit: 'ms' }))
  }
  return figures
}

function usual(once: boolean): Load {
  return { perSecond: null, connections: USUAL, once }
}

function start({ program, folder, cleanUp }: Bench, name: string): Promise<ServerProcess> {
  return startServer(program, {
    env: productionEnv({ ...SETTINGS, DATABASE_URL: `file:${join(folder, `${name}.db`)}` }),
    cleanUp,
  })
}

async function measure({ bench, server, clients }: Measuring, load: Load): Promise<Measured> {
  clients.begin({ url: server.url, query: QUERY, ...load })
  await sleep(RAMP_MS)
  await clients.count()
  const stop = sendWebhooks(server.url, WEBHOOK_EVERY_MS)
  const cpuBefore = cpuSecondsOf(server.pid)
  const begun = performance.now()
  await sleep(bench.seconds * 1_000)
  const { answered, shed, other } = await clients.count()
  const cpu = cpuSecondsOf(server.pid) - cpuBefore
  const tookS = (performance.now() - begun) / 1_000
  if (other > 0) throw new Error(`${other} answers were neither 200 nor 503.`)
  return { perSecond: answered / tookS, perCpuSecond: answered / cpu, refused: shed / tookS, webhooks: await stop() }
}

/** Returns the seconds until a whole second passes without a refusal and the process is ready. */
async function recovery(url: string, clients: Clients): Promise<number> {
  const begun = performance.now()
  for (;;) {
    const sinceS = (performance.now() - begun) / 1_000
    await clients.count()
    await sleep(1_000)
    const { shed } = await clients.count()
    const { status } = await fetch(`${url}/health/ready`)
    if ((shed === 0 && status === 200) || sinceS > LONGEST_RECOVERY_S) return sinceS
  }
}

/** Sends queries at a steady rate, each from an address of its own, whether earlier ones are answered or not. */
function askSteadily(url: string, token: string | null): () => Promise<Asked[]> {
  const asking: Promise<Asked>[] = []
  const timer = setInterval(() => asking.push(ask(url, token, `198.51.100.${asking.length % 20}`)), ASK_EVERY_MS)
  return () => {
    clearInterval(timer)
    return Promise.all(asking)
  }
}

async function ask(url: string, token: string | null, address = '198.51.100.1'): Promise<Asked> {
  const begun = performance.now()
  const headers = { 'content-type': 'application/json', 'x-forwarded-for': address }
  const answer = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: token === null ? headers : { ...headers, authorization: token },
    body: JSON.stringify({ query: QUERY }),
  })
  await answer.arrayBuffer()
  return { status: answer.status, took: performance.now() - begun }
}

function failed(asked: readonly Asked[]): number {
  return asked.filter(({ status }) => status !== 200).length
}

function p99Of(asked: readonly Asked[]): number {
  return quantile(
    asked.map(({ took }) => took),
    0.99,
  )
}

type Goal = { readonly decimals?: number; readonly unit?: string; readonly least?: number; readonly most?: number }

function figure(name: string, value: number, { decimals = 0, unit = '', least, most }: Goal): Figure {
  const goal =
    least !== undefined
      ? { kind: 'at least' as const, value: least }
      : most !== undefined
        ? { kind: 'at most' as const, value: most }
        : null
  return { name, value, decimals, unit, goal }
}
