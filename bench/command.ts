/**
 * Latency that the product adds to a command: `createPaymentLink` with a payments API that takes 50 ms, compared with the same call of the
 * same client to the payments API directly: `npm run bench -- command [options]`.
 *
 *   --rate <n>           commands per second, at a fixed rate, whether or not earlier ones are answered; default 100
 *   --latency <ms>       latency of the payments API; default 50
 *   --rounds, --seconds, --program, --page: see `support/run-bench.ts`
 */
import { randomUUID } from 'node:crypto'
import { bearer } from './support/client-token.ts'
import { cpuSecondsOfThreads, waitedSecondsOf } from './support/cpu.ts'
import { type Figure, median, shown, table } from './support/figures.ts'
import { jsonPost } from './support/http/message.ts'
import { sendAll } from './support/http/send.ts'
import { quantile } from './support/overload-load.ts'
import type { ServerProcess } from './support/processes.ts'
import { type Bench, type Report, runBench } from './support/run-bench.ts'
import { CREATE_LINK, linkInput, startSubgraph } from './support/subgraph.ts'

type Measured = { readonly took: readonly number[]; readonly cpuUs: number; readonly waited: number }
type Target = { readonly server: ServerProcess; readonly request: () => string; readonly expected: string }

const CONNECTIONS = 64

await runBench({
  name: 'command',
  title: 'Commands',
  defaults: { rounds: 4, seconds: 10 },
  options: { rate: '100', latency: '50' },
  run,
})

async function run(bench: Bench): Promise<Report> {
  const { program, cleanUp, rounds, seconds, progress } = bench
  const [rate, latencyMs] = [Number(bench.option('rate')), Number(bench.option('latency'))]
  const product = await startSubgraph({ program, latencyMs, cleanUp })
  const targets = [
    { server: product, request: createLink, expected: 'CreatePaymentLinkSuccess' },
    { server: product.paymentsApi, request: createDirectly, expected: 'payment_url' },
  ]
  const measured = targets.map((): Measured[] => [])
  for (let round = 0; round <= rounds; round += 1) {
    progress(round === 0 ? 'warming up' : `round ${round} of ${rounds}`)
    for (const [index, target] of targets.entries()) {
      const result = await measure(target, rate, rate * seconds)
      if (round > 0) measured[index]?.push(result)
    }
  }
  const [ours = [], direct = []] = measured
  const added = (part: number) =>
    median(ours.map(({ took }, round) => quantile(took, part) - quantile(direct[round]?.took ?? [], part)))
  const figure = (name: string, value: number, most: number): Figure => ({
    name,
    value,
    decimals: 1,
    unit: 'ms',
    goal: { kind: 'at most', value: most },
  })
  return {
    setting: `\`createPaymentLink\` with keys of their own, ${rate} per second over ${CONNECTIONS} connections, whether those before are answered or not; the payments API
answers after ${latencyMs} ms. Times count from the moment when a command was due. Every command made a link.`,
    figures: [figure('added to the p50', added(0.5), 5), figure('added to the p99', added(0.99), 20)],
    details: [describe(ours, direct)],
  }
}

function createLink(): string {
  const body = JSON.stringify({ query: CREATE_LINK, variables: { input: linkInput(randomUUID()) } })
  return jsonPost({ path: '/graphql', headers: { authorization: bearer('payments:write') }, body })
}

function createDirectly(): string {
  const notification = { endpoint_url: 'https://shop.example.test/webhooks', authorization_header: 'bench' }
  const body = JSON.stringify({ amount: 125.5, description: 'Two tickets', webhook_notification: notification })
  return jsonPost({ path: '/api/v3/payin_links', headers: {}, body })
}

async function measure({ server, request, expected }: Target, rate: number, count: number): Promise<Measured> {
  const requests = Array.from({ length: count }, request)
  const before = { cpu: cpuSecondsOfThreads(server.pid), waited: waitedSecondsOf(server.pid) }
  const options = { connections: CONNECTIONS, perSecond: rate }
  const { took, seconds } = await sendAll(server.url, requests, options, expected)
  return {
    took,
    cpuUs: ((cpuSecondsOfThreads(server.pid) - before.cpu) * 1e6) / count,
    waited: (waitedSecondsOf(server.pid) - before.waited) / seconds,
  }
}

function describe(ours: readonly Measured[], direct: readonly Measured[]): string {
  const row = (name: string, results: readonly Measured[]) => {
    const of = (value: (result: Measured) => number, decimals = 1) => shown(median(results.map(value)), decimals)
    return [
      name,
      of(({ took }) => quantile(took, 0.5)),
      of(({ took }) => quantile(took, 0.99)),
      of(({ cpuUs }) => cpuUs, 0),
      of(({ waited }) => waited, 2),
    ]
  }
  return table(
    ['called', 'p50 ms', 'p99 ms', 'CPU µs each', 'waited'],
    [row('product', ours), row('payments API alone', direct)],
  )
}
