/**
 * Events to subscriptions over WebSockets, compared with ws alone and the stock server of graphql-ws: `npm run bench -- fanout [options]`.
 *
 *   --cases <list>       any of `one` (one event to every socket) and `own` (each socket follows a separate payment); default: both
 *   --sockets <n>        sockets of each of the three servers, opened by one process for each; default 10,000
 *   --events <n>         events to all sockets in each round; default 4
 *   --only, --rounds, --program, --page: see `support/run-bench.ts`; servers: product, another-node, ws, graphql-ws
 */
import { randomUUID } from 'node:crypto'
import { findPostgres } from '../test/support/postgres.ts'
import { monotonicMs } from './support/clock.ts'
import { cpuSecondsOfThreads } from './support/cpu.ts'
import { type Figure, median, shown, table } from './support/figures.ts'
import { sendAll } from './support/http/send.ts'
import { productionEnv, startServer } from './support/processes.ts'
import { type Bench, type Report, runBench } from './support/run-bench.ts'
import {
  eventRequest,
  LINK_UPDATES,
  openSockets,
  PAYMENT_UPDATES,
  SOCKET_SETTINGS,
  type SocketServer,
  startSocketPeer,
} from './support/sockets/contenders.ts'
import { startSubgraph } from './support/subgraph.ts'
import { requestOfWebhook, STATUSES } from './support/webhooks/requests.ts'
import { storePayments, webhooksFrom } from './support/webhooks/store-payments.ts'

/** One event to all sockets: CPU time of a frame, and milliseconds until the last socket received it. */
type Fanned = { readonly cpuUs: number; readonly lastMs: number }
/** Events to topics with one socket each. */
type Delivered = { readonly perSecond: number; readonly cpuUs: number; readonly withoutStreamUs: number }

type Measured<Result> = { readonly name: string; readonly results: Result[] }

/** Number of topics for each event of a round, in the case `own`. */
const OWN_TOPICS_PER_EVENT = 5
/** The first status creates the payment, and the second one results in a sample frame. */
const LATER_STATUSES = STATUSES.length - 2
const WARM_UP_EVENTS = 2
const CONNECTIONS = 64
const PEERS = ['ws', 'graphql-ws'] as const
/** The second node of two. */
const ANOTHER = 'another-node'
const SEND = { connections: CONNECTIONS, perSecond: null }

const OWN_LEGEND = `Of own topics the product's events are webhooks that it checks and stores; those of “another-node” are webhooks to a first node on the
same PostgreSQL database, and the node of the sockets, which is measured, reads them from the log; those of ws are posted texts. “Without
a socket” is the same for payments, and topics, that nobody follows. The first node stores fewer events/s than the other one can read, so
“another-node” is stopped while they are stored, and its rate counts from the moment when it goes on. What posts the texts to ws runs beside its
clients meanwhile, and lowers its rate; CPU times do not depend on that.`

await runBench({
  name: 'fanout',
  title: 'Events to subscriptions',
  defaults: { rounds: 3, seconds: 3 },
  options: { cases: 'one,own', sockets: '10000', events: '4' },
  run,
})

async function run(bench: Bench): Promise<Report> {
  const cases = bench.option('cases').split(',')
  const sockets = Number(bench.option('sockets'))
  const one = cases.includes('one') ? await measureOne(bench, sockets) : []
  const own = cases.includes('own') ? await measureOwn(bench, sockets) : []
  return {
    setting: `${shown(sockets)} sockets of graphql-transport-ws, one subscription each, opened with a client's token. The product gets signed webhooks and
stores them; the peers get the product's event by HTTP, ws alone as the text of the frame, and send it. Every socket got every event.`,
    figures: [...figuresOfOne(one), ...figuresOfOwn(own)],
    details: [...(one.length > 0 ? [describeOne(one)] : []), ...(own.length > 0 ? [describeOwn(own), OWN_LEGEND] : [])],
  }
}

/** Measures one event to all sockets. The servers take turns in each round. */
async function measureOne(bench: Bench, sockets: number): Promise<Measured<Fanned>[]> {
  await using cleanUp = new AsyncDisposableStack()
  const events = Number(bench.option('events'))
  const product = await startSubgraph({ program: bench.program, env: SOCKET_SETTINGS, cleanUp })
  const [link] = await product.createLinks(1)
  if (link === undefined) throw new Error('No link was made.')
  const webhooks = webhooksOf(link, bench.rounds * events + WARM_UP_EVENTS)
  const open = { topics: Array.from({ length: sockets }, () => link.id), query: LINK_UPDATES, cleanUp }
  bench.progress('opening sockets of the product')
  const ours = await openSockets('product', product, open)
  for (let event = 0; event < WARM_UP_EVENTS; event += 1) await fanOut(ours, [webhooks.shift() ?? ''])
  const frame = await ours.crowd.sample()
  const servers = [ours]
  for (const name of PEERS) {
    if (!bench.includes(name)) continue
    bench.progress(`opening sockets of ${name}`)
    const peer = await openSockets(name, await startSocketPeer(name, cleanUp), open)
    servers.push(peer)
    await fanOut(peer, [eventRequest(name, link.id, frame)])
    if (payloadOf(await peer.crowd.sample()) !== payloadOf(frame)) throw new Error(`${name} sent another event.`)
  }
  const measured = servers.map(({ name }) => ({ name, results: [] as Fanned[] }))
  for (let round = 0; round < bench.rounds; round += 1) {
    bench.progress(`one event to all sockets: round ${round + 1} of ${bench.rounds}`)
    for (const [index, server] of servers.entries()) {
      const requests = Array.from({ length: events }, () =>
        server === ours ? (webhooks.shift() ?? '') : eventRequest(server.name, link.id, frame),
      )
      measured[index]?.results.push(await fanOut(server, requests))
    }
  }
  return measured
}

/**
 * Returns webhooks of payments through one link. Each of them results in one event of the link, so none is paid: the second that is would
 * also be a duplicate.
 */
function webhooksOf(link: { readonly path: string; readonly authorization: string }, count: number): string[] {
  const unpaid = STATUSES.slice(0, -1)
  return Array.from({ length: Math.ceil(count / unpaid.length) }, () => randomUUID()).flatMap((uuid) =>
    unpaid.map((status) => requestOfWebhook(uuid, status, link)),
  )
}

function payloadOf(frame: string): string {
  return JSON.stringify((JSON.parse(frame) as { payload: unknown }).payload)
}

/** Sends events one after another; each one after the previous event has reached every socket. */
async function fanOut({ server, crowd }: SocketServer, requests: readonly string[]): Promise<Fanned> {
  const times: number[] = []
  const cpuBefore = cpuSecondsOfThreads(server.pid)
  let frames = 0
  for (const request of requests) {
    await crowd.mark()
    const { sentAt } = await sendAll(server.url, [request], { ...SEND, connections: 1 })
    const received = await crowd.delivered(crowd.size)
    if (received.fewest !== 1) throw new Error('A socket did not get an event.')
    times.push(received.lastAt - (sentAt[0] ?? 0))
    frames += received.frames
  }
  return { cpuUs: ((cpuSecondsOfThreads(server.pid) - cpuBefore) * 1e6) / frames, lastMs: median(times) }
}

/** A server of own topics, and the requests by which the events of its payments, or topics, come. */
type Source = SocketServer & {
  readonly followed: () => string
  readonly others: () => string
  /** True if another node stores the events. */
  readonly readsLog: boolean
}

/** Measures events of payments that one socket each follows, and events of payments that no socket follows. */
async function measureOwn(bench: Bench, sockets: number): Promise<Measured<Delivered>[]> {
  await using cleanUp = new AsyncDisposableStack()
  const perRound = Math.floor(sockets / OWN_TOPICS_PER_EVENT)
  const payments = {
    followed: Array.from({ length: sockets }, () => randomUUID()),
    others: Array.from({ length: Math.ceil(((bench.rounds + 1) * perRound) / LATER_STATUSES) }, () => randomUUID()),
  }
  const open = { topics: payments.followed, query: PAYMENT_UPDATES, cleanUp }
  const startProduct = async (name: string, { first, second }: Awaited<ReturnType<typeof startNodes>>) => {
    bench.progress(`storing payments, and opening sockets of ${name}`)
    await storePayments(first.url, [...payments.followed, ...payments.others])
    const sources = { followed: webhooksFrom(2, payments.followed), others: webhooksFrom(2, payments.others) }
    // Webhooks go to the first node, and the second one is measured.
    const { crowd } = await openSockets('product', second, open)
    return { name, server: { ...second, url: first.url }, crowd, ...sources, readsLog: first !== second }
  }
  const alone = await startSubgraph({ program: bench.program, env: SOCKET_SETTINGS, cleanUp })
  const ours = await startProduct('product', { first: alone, second: alone })
  const frame = await firstFrame(ours, payments.followed)
  const servers: Source[] = [ours]
  if (bench.includes(ANOTHER)) {
    const another = await startProduct(ANOTHER, await startNodes(bench, cleanUp))
    await firstFrame(another, payments.followed)
    servers.push(another)
  }
  if (bench.includes('ws')) {
    bench.progress('opening sockets of ws')
    const peer = await openSockets('ws', await startSocketPeer('ws', cleanUp), open)
    const { followed, others } = payments
    const sources = { followed: eventsInTurn(followed, frame), others: eventsInTurn(others, frame) }
    servers.push({ ...peer, ...sources, readsLog: false })
  }
  const measured = servers.map(({ name }) => ({ name, results: [] as Delivered[] }))
  for (let round = 0; round <= bench.rounds; round += 1) {
    bench.progress(round === 0 ? 'own topics: warming up' : `own topics: round ${round} of ${bench.rounds}`)
    for (const [index, source] of servers.entries()) {
      const result = await deliver(source, perRound)
      if (round > 0) measured[index]?.results.push(result)
    }
  }
  return measured
}

/** Starts two nodes on one PostgreSQL database, of which the second has the measured core for itself. */
async function startNodes({ program }: Bench, cleanUp: AsyncDisposableStack) {
  const postgres = await findPostgres()
  if (postgres === null) throw new Error('There is no PostgreSQL server.')
  const database = await postgres.createDatabase()
  cleanUp.defer(() => database.drop())
  const env = productionEnv({ ...SOCKET_SETTINGS, DATABASE_URL: database.url })
  const first = await startServer(program, { env, cleanUp, measured: false })
  return { first, second: await startServer(program, { env, cleanUp }) }
}

function eventsInTurn(topics: readonly string[], frame: string): () => string {
  let event = 0
  return () => eventRequest('ws', topics[event++ % topics.length] ?? '', frame)
}

/** Returns the frame of an event: the second status of the first payment. */
async function firstFrame({ server, crowd }: SocketServer, [payment = '']: readonly string[]): Promise<string> {
  await crowd.mark()
  await sendAll(server.url, [requestOfWebhook(payment, STATUSES[1])], SEND)
  await crowd.delivered(1)
  return crowd.sample()
}

async function deliver({ server, crowd, followed, others, readsLog }: Source, events: number): Promise<Delivered> {
  const measure = async (source: () => string, frames: number) => {
    const texts = Array.from({ length: events }, source)
    await crowd.mark()
    const before = cpuSecondsOfThreads(server.pid)
    const isStopped = readsLog && frames > 0
    if (isStopped) process.kill(server.pid, 'SIGSTOP')
    const sent = await sendAll(server.url, texts, SEND).finally(() => isStopped && process.kill(server.pid, 'SIGCONT'))
    const beganAt = isStopped ? monotonicMs() : (sent.sentAt[0] ?? 0)
    const { lastAt } = await crowd.delivered(frames)
    const seconds = Math.max(isStopped ? 0 : sent.seconds, (lastAt - beganAt) / 1_000)
    return {
      cpuUs: ((cpuSecondsOfThreads(server.pid) - before) * 1e6) / texts.length,
      perSecond: texts.length / seconds,
    }
  }
  const withoutStream = await measure(others, 0)
  return { ...(await measure(followed, events)), withoutStreamUs: withoutStream.cpuUs }
}

function figuresOfOne(measured: readonly Measured<Fanned>[]): Figure[] {
  const [ours, peer, stock] = ['product', ...PEERS].map((name) => measured.find((each) => each.name === name))
  if (ours === undefined) return []
  const ratio = (other: Measured<Fanned>) =>
    median(ours.results.map(({ cpuUs }, round) => cpuUs / (other.results[round]?.cpuUs ?? Number.NaN)))
  const time: Figure = {
    name: 'one event: from its sending to the last socket',
    value: median(ours.results.map(({ lastMs }) => lastMs)),
    decimals: 0,
    unit: 'ms',
    goal: { kind: 'at most', value: 400 },
  }
  const name = 'one event: CPU of a frame ÷'
  return [
    ...(peer === undefined
      ? []
      : [{ name: `${name} ws`, value: ratio(peer), decimals: 2, goal: { kind: 'at most', value: 1.25 } } as const]),
    ...(stock === undefined ? [] : [{ name: `${name} graphql-ws`, value: ratio(stock), decimals: 2, goal: null }]),
    time,
  ]
}

function figuresOfOwn(measured: readonly Measured<Delivered>[]): Figure[] {
  const [ours, another, peer] = ['product', ANOTHER, 'ws'].map((name) => measured.find((each) => each.name === name))
  if (peer === undefined) return []
  const figure = (name: string, of: typeof ours, ratio: (our: Delivered, their: Delivered) => number): Figure[] => {
    const rounds = of?.results.map((our, round) => ratio(our, peer.results[round] ?? our)) ?? []
    if (rounds.length === 0) return []
    const goal = of === another ? ({ kind: 'at least', value: 0.6 } as const) : null
    return [{ name: `own topics: ${name}`, value: median(rounds), decimals: 2, goal }]
  }
  const byRate = (our: Delivered, their: Delivered) => our.perSecond / their.perSecond
  const byCpu = (our: Delivered, their: Delivered) => their.cpuUs / our.cpuUs
  return [
    ...figure('events/s ÷ ws, of a node that does not store them', another, byRate),
    ...figure('events/s ÷ ws, of a node that does not store them, by CPU time', another, byCpu),
    ...figure('events/s ÷ ws, with the webhooks', ours, byRate),
    ...figure('events/s ÷ ws, with the webhooks, by CPU time', ours, byCpu),
    ...figure('CPU of what a socket adds, ws ÷ product', ours, (our, their) => addedUs(their) / addedUs(our)),
  ]
}

function addedUs({ cpuUs, withoutStreamUs }: Delivered): number {
  return cpuUs - withoutStreamUs
}

function describeOne(measured: readonly Measured<Fanned>[]): string {
  return table(
    ['one event to all', 'CPU µs a frame', 'from', 'to', 'last socket after ms'],
    measured.map(({ name, results }) => {
      const cpu = results.map(({ cpuUs }) => cpuUs)
      const last = median(results.map(({ lastMs }) => lastMs))
      return [name, shown(median(cpu), 1), shown(Math.min(...cpu), 1), shown(Math.max(...cpu), 1), shown(last)]
    }),
  )
}

function describeOwn(measured: readonly Measured<Delivered>[]): string {
  return table(
    ['own topics', 'events/s', 'CPU µs an event', 'without a socket'],
    measured.map(({ name, results }) => [
      name,
      shown(median(results.map(({ perSecond }) => perSecond))),
      shown(median(results.map(({ cpuUs }) => cpuUs)), 1),
      shown(median(results.map(({ withoutStreamUs }) => withoutStreamUs)), 1),
    ]),
  )
}
