/**
 * Memory of open streams, compared with ws alone and the stock server of graphql-ws: `npm run bench -- memory [options]`. Measures resident
 * memory after garbage collection, with a few sockets and with all of them: the difference is the memory of the further sockets.
 *
 *   --sockets <n>        default 10,000, one subscription each
 *   --topics <one|own>   all follow one link, or each follows a separate payment; default: one
 *   --only, --rounds, --program, --page: see `support/run-bench.ts`; servers: product, ws, graphql-ws
 */
import { randomUUID } from 'node:crypto'
import { type Figure, median, shown, table } from './support/figures.ts'
import { COLLECTS_GARBAGE, settledBytes } from './support/memory.ts'
import { startPeer } from './support/peers.ts'
import { type Bench, type Report, runBench } from './support/run-bench.ts'
import { LINK_UPDATES, openSockets, PAYMENT_UPDATES, SOCKET_SETTINGS } from './support/sockets/contenders.ts'
import { startSubgraph } from './support/subgraph.ts'
import { storePayments } from './support/webhooks/store-payments.ts'

type Measured = { readonly name: string; readonly bytesEach: number[]; readonly bytesAtFirst: number[] }

/** Number of open sockets at the first measurement, so that the code is compiled before it. */
const FIRST_SOCKETS = 500
const KILOBYTE = 1_024

await runBench({
  name: 'memory',
  title: 'Memory of streams',
  defaults: { rounds: 2, seconds: 1 },
  options: { sockets: '10000', topics: 'one' },
  run,
})

async function run(bench: Bench): Promise<Report> {
  const sockets = Number(bench.option('sockets'))
  const names = ['product', 'ws', 'graphql-ws'].filter((name) => bench.includes(name))
  const measured = names.map((name): Measured => ({ name, bytesEach: [], bytesAtFirst: [] }))
  for (let round = 0; round < bench.rounds; round += 1)
    for (const { name, bytesEach, bytesAtFirst } of measured) {
      bench.progress(`${name}: round ${round + 1} of ${bench.rounds}`)
      const { first, all } = await measure(bench, name, sockets)
      bytesAtFirst.push(first)
      bytesEach.push((all - first) / (sockets - FIRST_SOCKETS))
    }
  const of = (wanted: string) => median(measured.find(({ name }) => name === wanted)?.bytesEach ?? []) / KILOBYTE
  const beyond = (name: string, value: number, goal: Figure['goal']): Figure[] =>
    Number.isNaN(value) ? [] : [{ name, value, decimals: 1, unit: 'KB', goal }]
  const topics = bench.option('topics') === 'own' ? 'a payment of its own' : 'the same link'
  return {
    setting: `${shown(sockets)} sockets with one subscription each, which follows ${topics}; those of ws are only open. Each round starts the servers anew.`,
    figures: [
      ...beyond('resident for each stream, beyond ws', of('product') - of('ws'), { kind: 'at most', value: 8 }),
      ...beyond('the same of graphql-ws', of('graphql-ws') - of('ws'), null),
    ],
    details: [
      table(
        ['server', `MB with ${FIRST_SOCKETS} sockets`, 'KB for each further one', 'from', 'to'],
        measured.map(({ name, bytesEach, bytesAtFirst }) => [
          name,
          shown(median(bytesAtFirst) / KILOBYTE ** 2, 1),
          shown(median(bytesEach) / KILOBYTE, 1),
          shown(Math.min(...bytesEach) / KILOBYTE, 1),
          shown(Math.max(...bytesEach) / KILOBYTE, 1),
        ]),
      ),
    ],
  }
}

/** Returns the resident bytes with the first sockets, and with all of them. */
async function measure(bench: Bench, name: string, sockets: number): Promise<{ first: number; all: number }> {
  await using cleanUp = new AsyncDisposableStack()
  const { server, topics, query } = await start(bench, name, { sockets, cleanUp })
  const { crowd } = await openSockets(name, server, { topics: topics.slice(0, FIRST_SOCKETS), query, cleanUp })
  const first = await settledBytes(server.pid)
  await crowd.open(topics.slice(FIRST_SOCKETS))
  return { first, all: await settledBytes(server.pid) }
}

async function start(
  { program, option }: Bench,
  name: string,
  { sockets, cleanUp }: { sockets: number; cleanUp: AsyncDisposableStack },
) {
  const isOwn = option('topics') === 'own'
  const payments = Array.from({ length: sockets }, (): string => randomUUID())
  const query = isOwn ? PAYMENT_UPDATES : LINK_UPDATES
  if (name === 'ws' || name === 'graphql-ws') {
    const server = await startPeer(name, { execArgv: COLLECTS_GARBAGE, cleanUp })
    return { server, topics: isOwn ? payments : payments.fill('link'), query }
  }
  const server = await startSubgraph({ program, env: SOCKET_SETTINGS, execArgv: COLLECTS_GARBAGE, cleanUp })
  if (isOwn) await storePayments(server.url, payments)
  const [link] = await server.createLinks(isOwn ? 0 : 1)
  return { server, topics: isOwn ? payments : payments.fill(link?.id ?? ''), query }
}
