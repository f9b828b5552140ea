/**
 * Time from the start of a process until its readiness probe is answered with 200, compared with Apollo Server with the same schema: `npm
 * run bench -- start [options]`.
 *
 *   --only, --rounds, --program, --page: see `support/run-bench.ts`; servers: product, apollo, npm-start
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../test/support/free-port.ts'
import { onMeasuredCore } from './support/cores.ts'
import { cpuSecondsOfThreads } from './support/cpu.ts'
import { type Figure, median, shown, table } from './support/figures.ts'
import { residentBytes } from './support/memory.ts'
import { moduleOf } from './support/peers.ts'
import { productionEnv } from './support/processes.ts'
import { type Bench, type Report, runBench } from './support/run-bench.ts'

type Start = {
  readonly name: string
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly readyPath: string
}
/** What one start took. CPU time and resident memory are those of the process itself, without its children. */
type Took = { readonly ms: number; readonly cpuMs: number; readonly mebibytes: number }
type Measured = { readonly name: string; readonly took: Took[] }

const POLL_MS = 5
const MOST_MS = 60_000

await runBench({ name: 'start', title: 'Start', defaults: { rounds: 7, seconds: 1 }, run })

async function run(bench: Bench): Promise<Report> {
  const starts = startsOf(bench).filter(({ name }) => bench.includes(name))
  const measured = starts.map(({ name }): Measured => ({ name, took: [] }))
  for (let round = 0; round <= bench.rounds; round += 1) {
    bench.progress(round === 0 ? 'starting once, which makes the databases' : `round ${round} of ${bench.rounds}`)
    for (const [index, start] of starts.entries()) {
      const took = await measure(start)
      if (round > 0) measured[index]?.took.push(took)
    }
  }
  return {
    setting:
      '`product` is `node dist/main.js` in production on a database that is there, ready when `/health/ready` is 200, with the default WARM_UP_MS and the compiled code that an earlier start has kept; `apollo` is Apollo Server alone with the product’s schema, ready when `{ __typename }` is answered; `npm-start` is `npm start` on the built-in sandbox.',
    figures: figuresOf(measured),
    details: [
      table(
        ['process', 'ready after ms', 'from', 'to', 'CPU ms', 'resident MiB'],
        measured.map(({ name, took }) => {
          const times = took.map(({ ms }) => ms)
          const own = (part: keyof Took) => (name === 'npm-start' ? '' : shown(medianOf(took, part)))
          return [
            name,
            shown(median(times)),
            shown(Math.min(...times)),
            shown(Math.max(...times)),
            own('cpuMs'),
            own('mebibytes'),
          ]
        }),
      ),
    ],
  }
}

function startsOf({ program, folder }: Bench): Start[] {
  const database = (name: string) => ({ DATABASE_URL: `file:${folder}/${name}.db` })
  const keys = productionEnv({})
  const own = Object.fromEntries(
    ['WEBHOOK_SECRETS', 'SIGNING_KEYS', 'JWT_SECRETS'].map((name) => [name, keys[name] ?? '']),
  )
  const node = process.execPath
  return [
    { name: 'product', command: [node, program], env: productionEnv(database('product')), readyPath: '/health/ready' },
    {
      name: 'apollo',
      command: [node, moduleOf('apollo')],
      env: { NODE_ENV: 'production' },
      readyPath: '/?query=%7B__typename%7D',
    },
    {
      name: 'npm-start',
      command: ['npm', 'start', '--silent'],
      env: { ...own, ...database('npm-start'), LOG_LEVEL: 'warn' },
      readyPath: '/health/ready',
    },
  ]
}

async function measure({ name, command, env, readyPath }: Start): Promise<Took> {
  const [port, sandboxPort] = [await freePort(), await freePort()]
  const [program, args] = onMeasuredCore(command)
  const begun = performance.now()
  const child = spawn(program, args, {
    stdio: 'ignore',
    // A separate process group, because npm does not pass SIGTERM on to its child processes.
    detached: true,
    env: { PATH: process.env['PATH'] ?? '', ...env, PORT: String(port), SANDBOX_PORT: String(sandboxPort) },
  })
  const exited = once(child, 'exit')
  const pid = child.pid ?? 0
  try {
    while (!(await isReady(`http://127.0.0.1:${port}${readyPath}`))) {
      if (child.exitCode !== null || performance.now() - begun > MOST_MS) throw new Error(`${name} did not start.`)
      await sleep(POLL_MS)
    }
    const ms = performance.now() - begun
    return { ms, cpuMs: cpuSecondsOfThreads(pid) * 1_000, mebibytes: residentBytes(pid) / 1_048_576 }
  } finally {
    if (child.exitCode === null) process.kill(-pid, 'SIGTERM')
    await exited
  }
}

function isReady(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    get(url, { agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    }).on('error', () => resolve(false))
  })
}

function figuresOf(measured: readonly Measured[]): Figure[] {
  const [ours, peer] = ['product', 'apollo'].map((name) => measured.find((each) => each.name === name))
  if (ours === undefined || peer === undefined) return []
  const figure = (name: string, part: keyof Took, most: number): Figure => ({
    name,
    value: medianOf(ours.took, part) / medianOf(peer.took, part),
    decimals: 2,
    goal: { kind: 'at most', value: most },
  })
  return [
    figure('start ÷ apollo', 'ms', 1.5),
    figure('start ÷ apollo, by CPU time', 'cpuMs', 1.5),
    {
      name: 'resident when ready',
      value: medianOf(ours.took, 'mebibytes'),
      decimals: 0,
      unit: 'MiB',
      goal: { kind: 'at most', value: 140 },
    },
    {
      name: 'resident when ready ÷ apollo',
      value: medianOf(ours.took, 'mebibytes') / medianOf(peer.took, 'mebibytes'),
      decimals: 2,
      goal: null,
    },
  ]
}

function medianOf(took: readonly Took[], part: keyof Took): number {
  return median(took.map((each) => each[part]))
}
