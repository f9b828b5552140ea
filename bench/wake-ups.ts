/**
 * Time from a webhook at one node to the frame of its event at another, by what wakes the other node: `npm run bench -- wake-ups [options]`.
 * Two nodes share a PostgreSQL database; webhooks go to the first, and the sockets are the second's.
 *
 *   --sockets <n>        sockets, each of which follows a separate payment; default 1,000
 *   --rate <n>           events per second; default 50
 *   --only, --rounds, --seconds, --program, --page: see `support/run-bench.ts`; servers: notify, redis, poll
 */
import { randomUUID } from 'node:crypto'
import { findPostgres, type PostgresServer } from '../test/support/postgres.ts'
import { createRedisServer } from '../test/support/redis-server.ts'
import { type Figure, median, shown, table } from './support/figures.ts'
import { sendAll } from './support/http/send.ts'
import { quantile } from './support/overload-load.ts'
import { productionEnv, startServer } from './support/processes.ts'
import { type Bench, type Report, runBench } from './support/run-bench.ts'
import { openSockets, PAYMENT_UPDATES, SOCKET_SETTINGS, type SocketServer } from './support/sockets/contenders.ts'
import { storePayments, webhooksFrom } from './support/webhooks/store-payments.ts'

/** Two nodes, and what wakes the second. */
type Pair = {
  readonly name: string
  readonly first: string
  readonly second: SocketServer
  readonly webhook: () => string
  /** Milliseconds from the sending of each webhook to its frame, per round. */
  readonly rounds: number[][]
}

const CONNECTIONS = 16
const WAKERS = ['notify', 'redis', 'poll'] as const
const GOAL_MS = 250
/** Each payment has its first status when its socket is opened. */
const LATER_STATUSES = 3

await runBench({
  name: 'wake-ups',
  title: 'From a webhook at one node to its frame at another',
  defaults: { rounds: 3, seconds: 5 },
  options: { sockets: '1000', rate: '50' },
  run,
})

async function run(bench: Bench): Promise<Report> {
  const { cleanUp, rounds, seconds, progress } = bench
  const [sockets, rate] = [Number(bench.option('sockets')), Number(bench.option('rate'))]
  const events = rate * seconds
  if (events > sockets) throw new Error('A socket would get more than one event in a round.')
  if ((rounds + 1) * events > LATER_STATUSES * sockets)
    throw new Error('There are not enough statuses for so many rounds.')
  const postgres = await findPostgres()
  if (postgres === null) throw new Error('There is no PostgreSQL server.')
  const pairs: Pair[] = []
  for (const name of WAKERS) {
    if (!bench.includes(name)) continue
    progress(`starting two nodes: ${name}`)
    pairs.push(await startPair(bench, { name, postgres, sockets, settings: await settingsOf(name, cleanUp) }))
  }
  for (let round = 0; round <= rounds; round += 1) {
    progress(round === 0 ? 'warming up' : `round ${round} of ${rounds}`)
    for (const pair of pairs) {
      const took = await measure(pair, { begin: round * events, events, rate, sockets })
      if (round > 0) pair.rounds.push(took)
    }
  }
  return {
    setting: `${shown(rate)} signed webhooks per second for ${seconds} s to one of two nodes on one PostgreSQL database, ${shown(sockets)} sockets with one subscription
each at the other. Times count from the moment when a webhook was due; every event was answered with 200 and reached its socket. “poll”:
behind a pooler, where no session can listen, and without Redis. Both nodes have one core together.`,
    figures: pairs.map(figureOf),
    details: [describe(pairs)],
  }
}

async function settingsOf(
  name: (typeof WAKERS)[number],
  cleanUp: AsyncDisposableStack,
): Promise<Readonly<Record<string, string>>> {
  if (name !== 'redis') return {}
  const redis = await createRedisServer()
  cleanUp.defer(() => redis.remove())
  return { REDIS_URL: redis.url }
}

type PairOptions = {
  readonly name: string
  readonly postgres: PostgresServer
  readonly sockets: number
  readonly settings: Readonly<Record<string, string>>
}

async function startPair(
  { program, cleanUp }: Bench,
  { name, postgres, sockets, settings }: PairOptions,
): Promise<Pair> {
  const database = await postgres.createDatabase()
  cleanUp.defer(() => database.drop())
  // Where a pooler is named, no session listens.
  const url = name === 'poll' ? `${database.url}?pooler=transaction` : database.url
  const env = productionEnv({ ...SOCKET_SETTINGS, ...settings, DATABASE_URL: url })
  const first = await startServer(program, { env, cleanUp })
  const second = await startServer(program, { env, cleanUp })
  const topics = Array.from({ length: sockets }, () => randomUUID())
  await storePayments(first.url, topics)
  return {
    name,
    first: first.url,
    second: await openSockets('product', second, { topics, query: PAYMENT_UPDATES, cleanUp }),
    webhook: webhooksFrom(1, topics),
    rounds: [],
  }
}

type Load = { readonly begin: number; readonly events: number; readonly rate: number; readonly sockets: number }

async function measure({ first, second, webhook }: Pair, { begin, events, rate, sockets }: Load): Promise<number[]> {
  await second.crowd.mark()
  const requests = Array.from({ length: events }, webhook)
  const { sentAt } = await sendAll(first, requests, { connections: CONNECTIONS, perSecond: rate })
  await second.crowd.delivered(events)
  const arrivals = await second.crowd.arrivals()
  return sentAt.map((at, event) => {
    const arrival = arrivals[(begin + event) % sockets] ?? 0
    if (arrival === 0) throw new Error('A socket did not get its event.')
    return arrival - at
  })
}

function quantileOf({ rounds }: Pair, share: number): number {
  return median(rounds.map((took) => quantile(took, share)))
}

function figureOf(pair: Pair): Figure {
  const goal = pair.name === 'poll' ? null : ({ kind: 'at most', value: GOAL_MS } as const)
  return {
    name: `webhook to frame at another node, ${pair.name}, p99`,
    value: quantileOf(pair, 0.99),
    decimals: 1,
    unit: 'ms',
    goal,
  }
}

function describe(pairs: readonly Pair[]): string {
  const shares = [0.5, 0.9, 0.99, 1]
  return table(
    ['woken by', 'p50 ms', 'p90 ms', 'p99 ms', 'longest ms'],
    pairs.map((pair) => [pair.name, ...shares.map((share) => shown(quantileOf(pair, share), 1))]),
  )
}
