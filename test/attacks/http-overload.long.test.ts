import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { judge, lost } from '../faults/kill-verdict.ts'
import { startApp } from '../faults/killable-app.ts'
import { sqliteFile } from '../store/contract/sqlite-fixture.ts'
import { bindToCore, cpuSecondsOf, LOAD_CORE, SERVER_CORE } from '../support/cpu-time.ts'
import type { Order } from './overload-clients.ts'
import { quantile, sendWebhooks, startClients, type Clients } from './overload-load.ts'

/** Durations of the loads, and the bounds that hold under three times the process's capacity. */
const WARM_MS = 8_000
const MEASURE_MS = 15_000
const OVERLOAD_MS = 60_000
const RECOVERY_MS = 5_000
const P99_MS = 1_000
const TIMES = 3

/** Beyond these bounds other work on the machine invalidates the figures: the clients' lag, and the ratio of the two peaks. */
const MAX_LAG_MS = 500
const SAME = 0.75

/**
 * Connections that keep the process busy without long waits; and connections that may be open under overload: fewer would be clients that
 * wait for each answer, none of which is refused.
 */
const AT_PEAK = 32
const AT_MOST = 10_000
const WEBHOOK_EVERY_MS = 50

/** A query of about an eighth of a millisecond of work for each field. */
function query(fields: number): string {
  const field = 'paymentCurrencies { code exponent region versions enabled }'
  return `{ ${Array.from({ length: fields }, (_, index) => `a${index}: ${field}`).join(' ')} }`
}

async function setUp() {
  const file = await sqliteFile()
  // Otherwise identical queries are answered from the cache, and the clients cannot send three times as many of those.
  const env = {
    SHORTCUTS: 'none',
    GRAPHQL_MAX_ALIASES: '40',
    GRAPHQL_MAX_ROOT_FIELDS: '40',
    GRAPHQL_MAX_COST: '10000',
  }
  const app = await startApp({ path: file.path, env })
  const clients = await startClients()
  bindToCore(app.pid, SERVER_CORE)
  bindToCore(clients.pid, LOAD_CORE)
  onTestFinished(async () => {
    clients.stop()
    await app.kill()
    await file.remove()
  })
  return { file, app, clients }
}

/**
 * Returns the milliseconds until a whole second passes without a rejection and the readiness probe succeeds; Infinity if that takes too
 * long.
 */
async function recovery(clients: Clients, url: string): Promise<number> {
  const begun = performance.now()
  for (;;) {
    const since = performance.now() - begun
    await clients.count()
    await sleep(1_000)
    const { answered, shed, other } = await clients.count()
    const { status } = await fetch(`${url}/health/ready`)
    if (answered > 0 && shed + other === 0 && status === 200) return since
    if (since > 6 * RECOVERY_MS) return Number.POSITIVE_INFINITY
  }
}

// promise(process): Under three times its load for a minute, every webhook gets 200 within a second, most usual
// responses are still sent, and five seconds later the process works as before.
/**
 * `least`: share of the usual answers per second of the process's own CPU time. What is missing went into refusals, two for each answer
 * (`npm run bench -- refusals`): reading and answering them, and the garbage collection of what they hold for a second, which weighs less
 * the longer an answer takes. A new connection for each question must also be accepted. The bounds leave room for a machine whose speed changes meanwhile.
 */
it.each([
  { name: 'of five milliseconds each, over connections that are kept', fields: 40, once: false, least: 0.7 },
  { name: 'of a millisecond each, over connections that are kept', fields: 8, once: false, least: 0.6 },
  { name: 'of a millisecond each, over new connections', fields: 8, once: true, least: 0.4 },
])(
  'under three times the answers that it can give, $name, webhooks go on, and it is itself again soon',
  async ({ name, fields, once, least }) => {
    const { file, app, clients } = await setUp()
    const order = { url: app.url, query: query(fields), once }
    const stop = sendWebhooks(app.url, WEBHOOK_EVERY_MS)
    const atPeak = { ...order, perSecond: null, connections: AT_PEAK }
    await clients.load(atPeak, WARM_MS)
    const perCpuSecond = async (load: Order, milliseconds: number) => {
      const cpu = cpuSecondsOf(app.pid)
      const counts = await clients.load(load, milliseconds)
      return { ...counts, rate: counts.answered / (cpuSecondsOf(app.pid) - cpu) }
    }
    const usual = await perCpuSecond(atPeak, MEASURE_MS)
    const peakBefore = (usual.answered * 1_000) / MEASURE_MS
    const before = await stop()

    const stopUnderLoad = sendWebhooks(app.url, WEBHOOK_EVERY_MS)
    const offered = Math.round(peakBefore * TIMES)
    const { answered, shed, other, lag, rate } = await perCpuSecond(
      { ...order, perSecond: offered, connections: AT_MOST },
      OVERLOAD_MS,
    )
    const sent = await stopUnderLoad()
    clients.begin({ ...order, perSecond: peakBefore / TIMES, connections: AT_MOST })
    const recovered = await recovery(clients, app.url)
    const stopAfter = sendWebhooks(app.url, WEBHOOK_EVERY_MS)
    const again = await perCpuSecond(atPeak, MEASURE_MS)
    const peakAfter = (again.answered * 1_000) / MEASURE_MS
    const after = await stopAfter()

    const taken = sent.map(({ took }) => took)
    const figures = {
      peakBefore,
      peakAfter,
      offered,
      goodput: (answered * 1_000) / OVERLOAD_MS,
      // Against the time before and after, because the speed of a machine changes within minutes.
      ratio: (2 * rate) / (usual.rate + again.rate),
      shed: (shed * 1_000) / OVERLOAD_MS,
      other,
      lagOfClients: lag,
      webhooks: sent.length,
      p50: quantile(taken, 0.5),
      p99: quantile(taken, 0.99),
      slowest: quantile(taken, 1),
      recovered,
    }
    process.stdout.write(`overload, ${name}: ${rounded(figures)}\n`)
    expect(sent.filter(({ status }) => status !== 200)).toEqual([])
    const isSame = Math.min(peakBefore, peakAfter) > Math.max(peakBefore, peakAfter) * SAME
    expect({ lag: lag < MAX_LAG_MS, isSame }, 'The machine had other work: measure again.').toEqual({
      lag: true,
      isSame: true,
    })
    expect(figures.p99).toBeLessThan(P99_MS)
    expect(other).toBe(0)
    // Otherwise there was no overload.
    expect(figures.shed).toBeGreaterThan(0)
    expect(figures.ratio).toBeGreaterThan(least)
    expect(recovered).toBeLessThan(RECOVERY_MS)

    await app.kill()
    const acknowledged = [...before, ...sent, ...after].map(({ uuid }) => uuid)
    expect(lost(acknowledged, judge(file.path))).toEqual([])
  },
  240_000,
)

function rounded(figures: Readonly<Record<string, number>>): string {
  return JSON.stringify(figures, (_name, value: unknown) =>
    typeof value === 'number' ? Math.round(value * 100) / 100 : value,
  )
}
