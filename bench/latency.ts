/**
 * Time from a webhook to the frame of its event, at a fixed rate, compared with ws alone: `npm run bench -- latency [options]`. Each socket
 * follows a separate payment; the events are spread over the payments, so that each one concerns one open socket.
 *
 *   --sockets <n>        default 10,000
 *   --rate <n>           events per second; default 1,000
 *   --only, --rounds, --seconds, --program, --page: see `support/run-bench.ts`; servers: product, ws
 */
import { randomUUID } from 'node:crypto'
import { cpuSecondsOfThreads, waitedSecondsOf } from './support/cpu.ts'
import { type Figure, median, shown, table } from './support/figures.ts'
import { sendAll } from './support/http/send.ts'
import { quantile } from './support/overload-load.ts'
import { type Bench, type Report, runBench } from './support/run-bench.ts'
import {
  eventRequest,
  openSockets,
  PAYMENT_UPDATES,
  SOCKET_SETTINGS,
  type SocketServer,
  startSocketPeer,
} from './support/sockets/contenders.ts'
import { startSubgraph } from './support/subgraph.ts'
import { requestOfWebhook, STATUSES } from './support/webhooks/requests.ts'
import { storePayments, webhooksFrom } from './support/webhooks/store-payments.ts'

/** `frames` and `answers` are milliseconds since the event was due. */
type Measured = {
  readonly frames: readonly number[]
  readonly answers: readonly number[]
  readonly cpuUs: number
  readonly waited: number
}

const CONNECTIONS = 64

await runBench({
  name: 'latency',
  title: 'From a webhook to its frame',
  defaults: { rounds: 3, seconds: 5 },
  options: { sockets: '10000', rate: '1000' },
  run,
})

async function run(bench: Bench): Promise<Report> {
  const { program, cleanUp, rounds, seconds, progress } = bench
  const [sockets, rate] = [Number(bench.option('sockets')), Number(bench.option('rate'))]
  const events = rate * seconds
  if (events > sockets) throw new Error('A socket would get more than one event in a round.')
  if ((rounds + 1) * events > 2 * sockets) throw new Error('There are not enough statuses for so many rounds.')
  const topics = Array.from({ length: sockets }, () => randomUUID())
  const product = await startSubgraph({ program, env: SOCKET_SETTINGS, cleanUp })
  progress(`storing ${shown(sockets)} payments`)
  await storePayments(product.url, topics)
  progress('opening sockets of the product')
  const ours = await openSockets('product', product, { topics, query: PAYMENT_UPDATES, cleanUp })
  await ours.crowd.mark()
  await sendAll(product.url, [requestOfWebhook(topics[0] ?? '', STATUSES[1])], { connections: 1, perSecond: null })
  await ours.crowd.delivered(1)
  const frame = await ours.crowd.sample()
  const servers = [ours]
  if (bench.includes('ws')) {
    progress('opening sockets of ws')
    servers.push(
      await openSockets('ws', await startSocketPeer('ws', cleanUp), { topics, query: PAYMENT_UPDATES, cleanUp }),
    )
  }
  const webhook = webhooksFrom(2, topics)
  const measured = servers.map(({ name }) => ({ name, results: [] as Measured[] }))
  for (let round = 0; round <= rounds; round += 1) {
    progress(round === 0 ? 'warming up' : `round ${round} of ${rounds}`)
    const begin = round * events
    const hit = Array.from({ length: events }, (_, event) => (begin + event) % sockets)
    for (const [index, server] of servers.entries()) {
      const requests = hit.map((socket) =>
        server === ours ? webhook() : eventRequest('ws', topics[socket] ?? '', frame),
      )
      const result = await measure(server, { requests, hit, rate })
      if (round > 0) measured[index]?.results.push(result)
    }
  }
  const p99 = median(measured[0]?.results.map(({ frames }) => quantile(frames, 0.99)) ?? [])
  const figures: Figure[] = [
    { name: 'webhook to frame, p99', value: p99, decimals: 1, unit: 'ms', goal: { kind: 'at most', value: 25 } },
  ]
  return {
    setting: `${shown(rate)} events per second for ${seconds} s over ${CONNECTIONS} connections, ${shown(sockets)} sockets with one subscription each. The product gets signed webhooks
and stores them; ws gets the frame by HTTP and sends it. Times count from the moment when an event was due; every event was answered with
200 and reached its socket.`,
    figures,
    details: [describe(measured)],
  }
}

type Events = { readonly requests: readonly string[]; readonly hit: readonly number[]; readonly rate: number }

async function measure({ server, crowd }: SocketServer, { requests, hit, rate }: Events): Promise<Measured> {
  await crowd.mark()
  const before = { cpu: cpuSecondsOfThreads(server.pid), waited: waitedSecondsOf(server.pid) }
  const { sentAt, took, seconds } = await sendAll(server.url, requests, { connections: CONNECTIONS, perSecond: rate })
  await crowd.delivered(requests.length)
  const cpu = cpuSecondsOfThreads(server.pid) - before.cpu
  const waited = waitedSecondsOf(server.pid) - before.waited
  const arrivals = await crowd.arrivals()
  const frames = hit.map((socket, event) => {
    const arrival = arrivals[socket] ?? 0
    if (arrival === 0) throw new Error('A socket did not get its event.')
    return arrival - (sentAt[event] ?? 0)
  })
  return { frames, answers: took, cpuUs: (cpu * 1e6) / requests.length, waited: waited / seconds }
}

function describe(measured: readonly { readonly name: string; readonly results: readonly Measured[] }[]): string {
  return table(
    ['server', 'frame p50 ms', 'frame p99 ms', 'answer p50 ms', 'answer p99 ms', 'CPU µs an event', 'waited'],
    measured.map(({ name, results }) => {
      const of = (value: (result: Measured) => number, decimals = 1) => shown(median(results.map(value)), decimals)
      return [
        name,
        of(({ frames }) => quantile(frames, 0.5)),
        of(({ frames }) => quantile(frames, 0.99)),
        of(({ answers }) => quantile(answers, 0.5)),
        of(({ answers }) => quantile(answers, 0.99)),
        of(({ cpuUs }) => cpuUs, 0),
        of(({ waited }) => waited, 2),
      ]
    }),
  )
}
