/**
 * Webhooks of new payments, four statuses each, over 64 connections, stored durably by one core, compared with Fastify on the same core,
 * which only verifies the HMAC, and, on SQLite, with Fastify that also writes the rows that the product writes, which is the least that a
 * stored webhook costs: `npm run bench -- webhook [options]`. The load and PostgreSQL run on the other core. Prints figures only
 * after every webhook was answered with 200 and found in the database; exits with 1 if one was not.
 *
 *   --databases <list>   any of `sqlite,postgres`; default: both
 *   --seconds <n>        seconds of each measurement; default 3
 *   --rounds <n>         rounds of all measurements, in turns; default 5
 *   --connections <n>    connections that send webhooks; default 64
 *   --payments <n>       payments that the larger database contains before; default 100,000; 0: no larger database
 *   --program <module>   the product's main module; default: dist/main.js, which is built if it is older than a source
 *   --page <path>        page for the figures; default: docs/performance.md
 */
import { execFileSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { BUILT, buildWhenStale } from './support/build.ts'
import { CAN_PIN, moveToLoadCore, onMeasuredCore } from './support/cores.ts'
import { figureTable, shown, withGoal } from './support/figures.ts'
import { describeMachine, writeSection } from './support/performance-page.ts'
import type { Recorded } from './support/webhooks/answers.ts'
import { startSender } from './support/webhooks/load.ts'
import { allFigures, describeResults, type GroupResult } from './support/webhooks/report.ts'
import { roundTripsPerWebhook } from './support/webhooks/round-trips.ts'
import { faultsOf, measureRounds, type Result } from './support/webhooks/rounds.ts'
import { type Group, type Target, startPeerTarget, startPostgres, startSqlite } from './support/webhooks/targets.ts'

const FEW = 1_000
const MOST_WARM_UP_SECONDS = 3

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    databases: { type: 'string', default: 'sqlite,postgres' },
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '64' },
    payments: { type: 'string', default: '100000' },
    program: { type: 'string', default: BUILT },
    page: { type: 'string', default: 'docs/performance.md' },
  },
})
const [seconds, rounds] = [Number(values.seconds), Number(values.rounds)]
const [many, connections] = [Number(values.payments), Number(values.connections)]

buildWhenStale(values.program)
moveToLoadCore()
const cleanUp = new AsyncDisposableStack()
try {
  await run()
} finally {
  await cleanUp.disposeAsync()
}

/** Prints to standard error, so that standard output contains only the figures. */
function progress(step: string): void {
  console.error(`${Math.round(performance.now() / 1_000)} s: ${step}`)
}

async function run(): Promise<void> {
  const peer = await startPeerTarget(cleanUp)
  const groups: Group[] = []
  const options = { program: values.program, payments: { few: FEW, many }, cleanUp }
  for (const kind of values.databases.split(',')) {
    progress(`filling ${kind}`)
    groups.push(await (kind === 'sqlite' ? startSqlite(options) : startPostgres(options)))
  }
  progress('warming up')
  const targets = [peer, ...groups.flatMap(({ rows, one, large, three }) => [rows, one, large, three])].filter(
    (target) => target !== null,
  )
  const sender = await startSender(connections)
  cleanUp.defer(() => sender.stop())
  const paced = new Set(groups.map(({ one }) => one))
  const warmUpSeconds = Math.min(MOST_WARM_UP_SECONDS, seconds)
  const results = await measureRounds(sender, targets, { rounds, seconds, warmUpSeconds, paced, onProgress: progress })
  progress('checking what is stored')
  await Promise.all(targets.map((target) => target.stop()))
  const faults = (await Promise.all(results.map(faultsOf))).flat()
  if (faults.length > 0) throw new Error(faults.join('\n'))
  const resultOf = (target: Target | null) => results.find((result) => result.target === target) ?? null
  const measured: GroupResult[] = []
  for (const { kind, rows, one, large, three } of groups) {
    const result = resultOf(one)
    if (result === null) continue
    progress(`recording answers to reads, ${kind}`)
    const counting = { program: values.program, seconds: warmUpSeconds, cleanUp }
    const roundTrips = kind === 'postgres' ? await roundTripsPerWebhook(sender, one, counting) : null
    const answers = recordAnswers(one.database?.url ?? '')
    measured.push({
      kind,
      rows: resultOf(rows),
      one: result,
      large: resultOf(large),
      three: resultOf(three),
      roundTrips,
      answers,
    })
  }
  report(results, measured)
}

function report(results: readonly Result[], groups: readonly GroupResult[]): void {
  const [peer] = results
  if (peer === undefined) return
  const checked = results.reduce((sum, { target, sent }) => sum + (target.database === null ? 0 : sent.webhooks), 0)
  const args = process.argv.slice(3).filter((_, index, all) => !isPage(all, index))
  const cores = CAN_PIN
    ? 'What is measured has one core, the load and PostgreSQL the other.'
    : 'Processes could not be bound to cores.'
  const figures = allFigures(peer, groups)
  const head = [
    '## Webhooks',
    `\`npm run bench -- ${['webhook', ...args].join(' ')}\`: ${describeMachine()}.`,
    `New payments, four signed webhooks each, over ${connections} connections; ${rounds} rounds of ${seconds} s, medians. ${cores}
All ${shown(checked)} webhooks were answered with 200, and found in the databases with their events, each payment in its last status.`,
  ]
  console.log([...head, figureTable(figures), describeResults(peer, groups)].join('\n\n'))
  writeSection(values.page, 'webhook', [...head, figureTable(withGoal(figures))].join('\n\n'))
}

/** Returns whether an argument belongs to `--page`. The printed command omits it, because it does not affect the figures. */
function isPage(args: readonly string[], index: number): boolean {
  return args[index] === '--page' || args[index - 1] === '--page'
}

/** Records answers to reads. No other process has the database open at this point. Throws if one was not recorded. */
function recordAnswers(url: string): Recorded {
  const module = new URL('./support/webhooks/answers.ts', import.meta.url).pathname
  const [program, args] = onMeasuredCore([process.execPath, module, url, String(seconds)])
  const recorded = JSON.parse(execFileSync(program, args, { encoding: 'utf8' })) as Recorded
  if (recorded.failures > 0)
    throw new Error(`${recorded.failures} of ${recorded.answers} answers to reads were not recorded.`)
  return recorded
}
