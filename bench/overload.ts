import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { quantile, sendWebhooks, startClients, type Clients } from '../test/attacks/overload-load.ts'
import { cpuSecondsOf } from '../test/cpu-time.ts'
import { startApp } from '../test/faults/killable-app.ts'

/**
 * What a process answers when three times as much is asked as it can do, against what it answers at its ease, in the same run.
 * Answers are counted per second of the process's own CPU time too, because another program may take the machine's.
 */

const SECONDS = Number(process.argv[3] ?? 10)
const MS = SECONDS * 1_000
/** Until all connections are open. */
const RAMP_MS = MS / 2
const QUERY = `{ ${Array.from({ length: 8 }, (_, index) => `a${index}: paymentCurrencies { code exponent region versions enabled }`).join(' ')} }`

const folder = mkdtempSync(join(tmpdir(), 'bench-'))
const app = await startApp({ path: join(folder, 'payments.db') })
const clients = await startClients()
try {
  const atPeak = { url: app.url, query: QUERY, perSecond: null, connections: 32, once: false }
  await clients.load(atPeak, 3_000)
  const peak = await measure('32 clients that wait', clients, atPeak)
  for (const connections of [64, 256, 1_000])
    await measure(`${connections} clients that wait`, clients, { ...atPeak, connections })
  for (const [connections, once] of [
    [1_000, false],
    [4_000, false],
    [2_000, true],
  ] as const) {
    const order = { ...atPeak, perSecond: 3 * peak, connections, once }
    await measure(`3 x, ${connections} ${once ? 'new' : 'kept'} connections`, clients, order)
  }
  await measure('32 clients that wait', clients, atPeak)
} finally {
  clients.stop()
  await app.kill()
  rmSync(folder, { recursive: true })
}

async function measure(name: string, from: Clients, order: Parameters<Clients['begin']>[0]): Promise<number> {
  from.begin(order)
  await sleep(RAMP_MS)
  await from.count()
  const stop = sendWebhooks(app.url, 50)
  const before = cpuSecondsOf(app.pid)
  await sleep(MS)
  const { answered, shed, other } = await from.count()
  const cpu = cpuSecondsOf(app.pid) - before
  const webhooks = await stop()
  const took = webhooks.map((sent) => sent.took)
  const figures = [
    `${Math.round(answered / SECONDS)}/s`,
    `${Math.round(answered / cpu)} per CPU second`,
    `refused ${shed}`,
    `other ${other}`,
    `webhooks ${webhooks.length}, not 200: ${webhooks.filter(({ status }) => status !== 200).length}`,
    `p50 ${Math.round(quantile(took, 0.5))} ms, p99 ${Math.round(quantile(took, 0.99))} ms`,
  ]
  process.stdout.write(`${name.padEnd(30)} ${figures.join('; ')}\n`)
  return answered / SECONDS
}
