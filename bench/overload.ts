import { fork } from 'node:child_process'
import { once as event } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { quantile, sendWebhooks, startClients } from '../test/attacks/overload-load.ts'
import { startApp } from '../test/faults/killable-app.ts'
import { bindToCore, cpuSecondsOf, LOAD_CORE, SERVER_CORE } from '../test/support/cpu-time.ts'

/**
 * Throughput of a process that receives three times as many requests as it can answer, as a share of its throughput for clients that wait
 * for each answer, over the same kind of connections: `npm run bench -- overload [seconds] [rounds]`. Answers are counted per second of the
 * process's own CPU time, because other programs may use the machine, and each overload is compared with the normal load directly before
 * it. A plain Node server whose answers cost as much is measured in turns with the program (`support/bare-server.ts`): its loss is the cost
 * of connections, parser and kernel.
 */

const MS = Number(process.argv[3] ?? 5) * 1_000
const ROUNDS = Number(process.argv[4] ?? 5)
/** Milliseconds until the earlier connections are closed, and requests are refused that are too many. */
const RAMP_MS = 6_000
const WARM_MS = 8_000
const TIMES = 3
const AT_PEAK = 32
const QUERY = `{ ${Array.from({ length: 8 }, (_, index) => `a${index}: paymentCurrencies { code exponent region versions enabled }`).join(' ')} }`

type Target = { readonly name: string; readonly url: string; readonly pid: number; readonly webhooks: boolean }
type Load = { readonly perSecond: number | null; readonly connections: number; readonly once: boolean }
type Measured = { readonly perSecond: number; readonly perCpuSecond: number }

const folder = mkdtempSync(join(tmpdir(), 'bench-'))
// Otherwise equal queries are answered from memory, and no client can send three times as many of those as the process answers.
const app = await startApp({ path: join(folder, 'payments.db'), env: { SHORTCUTS: 'none' } })
const clients = await startClients()
bindToCore(app.pid, SERVER_CORE)
bindToCore(clients.pid, LOAD_CORE)
try {
  const ours = { name: 'this program', url: app.url, pid: app.pid, webhooks: true }
  const waiting = { perSecond: null, connections: AT_PEAK, once: false }
  await clients.load({ url: app.url, query: QUERY, ...waiting }, WARM_MS)
  for (const connections of [64, 256, 1_000]) await measure(ours, { ...waiting, connections })
  const { perCpuSecond } = await measure(ours, waiting)
  const bare = await startBare(1_000 / perCpuSecond)
  try {
    for (const [connections, once] of [
      [1_000, false],
      [10_000, false],
      [10_000, true],
    ] as const)
      await compare([ours, bare], connections, once)
  } finally {
    bare.stop()
  }
} finally {
  clients.stop()
  await app.kill()
  rmSync(folder, { recursive: true })
}

async function startBare(costMs: number): Promise<Target & { stop(): void }> {
  const child = fork(new URL('./support/bare-server.ts', import.meta.url), [String(costMs)])
  const [{ port }] = (await event(child, 'message')) as [AddressInfo]
  bindToCore(child.pid, SERVER_CORE)
  const url = `http://127.0.0.1:${port}`
  return { name: 'bare node:http', url, pid: child.pid ?? 0, webhooks: false, stop: () => child.disconnect() }
}

/** Prints the share of its normal throughput that each target keeps, and the ratio of the first to the second. */
async function compare(targets: readonly Target[], connections: number, once: boolean): Promise<void> {
  const kept = targets.map((): number[] => [])
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [index, target] of targets.entries()) {
      const usual = await measure(target, { perSecond: null, connections: AT_PEAK, once })
      const over = await measure(target, { perSecond: TIMES * usual.perSecond, connections, once })
      kept[index]?.push(over.perCpuSecond / usual.perCpuSecond)
    }
  const [ours = 0, bare = 0] = kept.map((parts) => quantile(parts, 0.5))
  const shown = targets.map(({ name }, index) => `${name} ${(kept[index] ?? []).map(percent).join(' ')}`)
  const verdict = `keeps ${percent(ours)}, the bare server ${percent(bare)}: ${(ours / bare).toFixed(2)} of it`
  process.stdout.write(`== ${TIMES} x over ${nameOf({ connections, once })}: ${verdict} (${shown.join('; ')})\n`)
}

async function measure({ name, url, pid, webhooks }: Target, load: Load): Promise<Measured> {
  clients.begin({ url, query: QUERY, ...load })
  await sleep(RAMP_MS)
  await clients.count()
  const stop = webhooks ? sendWebhooks(url, 50) : async () => []
  const cpuBefore = cpuSecondsOf(pid)
  const begun = performance.now()
  await sleep(MS)
  const { answered, shed, other } = await clients.count()
  const cpu = cpuSecondsOf(pid) - cpuBefore
  const seconds = (performance.now() - begun) / 1_000
  const sent = await stop()
  const took = sent.map((webhook) => webhook.took)
  const asked = load.perSecond === null ? 'that wait' : `at ${Math.round(load.perSecond)}/s`
  const figures = [
    `${Math.round(answered / seconds)}/s`,
    `${Math.round(answered / cpu)} per CPU second`,
    `refused ${Math.round(shed / seconds)}/s`,
    `other ${other}`,
    ...(webhooks
      ? [
          `webhooks ${sent.length}, not 200: ${sent.filter(({ status }) => status !== 200).length}`,
          `p50 ${Math.round(quantile(took, 0.5))} ms, p99 ${Math.round(quantile(took, 0.99))} ms`,
        ]
      : []),
  ]
  process.stdout.write(`${`${name}, ${nameOf(load)} ${asked}`.padEnd(56)} ${figures.join('; ')}\n`)
  return { perSecond: answered / seconds, perCpuSecond: answered / cpu }
}

function nameOf({ connections, once }: Pick<Load, 'connections' | 'once'>): string {
  return `${connections} ${once ? 'new' : 'kept'} connections`
}

function percent(part: number): string {
  return `${Math.round(part * 100)} %`
}
