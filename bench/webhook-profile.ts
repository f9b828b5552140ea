/**
 * CPU profile of webhooks: the product on SQLite receives as many as it can, on one core, under Node's profiler. Prints each part's share
 * of the program's busy time: `npm run bench -- webhook-profile [seconds]`.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { moveToLoadCore } from './support/cores.ts'
import { fillingOf } from './support/fill-database.ts'
import { describeMachine } from './support/performance-page.ts'
import { createSqlite } from './support/webhooks/databases.ts'
import { startSender } from './support/webhooks/load.ts'
import { startProduct } from './support/webhooks/processes.ts'
import { type Profile, sharesOf } from './support/webhooks/profile.ts'

/** Not the built program, which is one file for all parts. */
const PROGRAM = 'src/main.ts'
const PAYMENTS = 1_000
const WARM_UP_SECONDS = 3
const EXPECTED_PER_SECOND = 8_000

const seconds = Number(process.argv[3] ?? '8')
moveToLoadCore()
const folder = mkdtempSync(join(tmpdir(), 'payments-profile-'))
const cleanUp = new AsyncDisposableStack()
try {
  await run()
} finally {
  await cleanUp.disposeAsync()
  rmSync(folder, { recursive: true })
}

async function run(): Promise<void> {
  const database = await createSqlite(fillingOf(PAYMENTS))
  cleanUp.defer(() => database.remove())
  const product = await startProduct(PROGRAM, database.url, cleanUp, {
    NODE_OPTIONS: `--conditions=payments-subgraph-source --cpu-prof --cpu-prof-dir=${folder}`,
  })
  const sender = await startSender(64)
  cleanUp.defer(() => sender.stop())
  const receiver = { urls: [product.url], pids: [product.pid] }
  const load = { perSecond: null, expectedPerSecond: EXPECTED_PER_SECOND, again: false }
  await sender.measure(receiver, { ...load, seconds: WARM_UP_SECONDS })
  const { answered, totals } = await sender.measure(receiver, { ...load, seconds })
  if (Object.keys(totals.refused).length > 0) throw new Error(`Refused: ${JSON.stringify(totals.refused)}`)
  await product.stop()
  const shares = sharesOf(profileOfMainThread(), seconds)
  const rows = shares.map(({ part, share }) => `| ${part} | ${(share * 100).toFixed(1)} % |`)
  const text = [
    '## What a webhook costs',
    `\`npm run bench -- webhook-profile ${seconds}\`: ${describeMachine()}.`,
    `Share of the time for which the main thread was busy, while ${answered} webhooks were answered and stored on SQLite.`,
    ['| part | share |', '|---|---|', ...rows].join('\n'),
  ].join('\n\n')
  console.log(text)
}

/** Returns the largest profile. Other threads write separate, smaller profiles. */
function profileOfMainThread(): Profile {
  const profiles = readdirSync(folder).map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Profile)
  const [largest] = profiles.toSorted((a, b) => b.nodes.length - a.nodes.length)
  if (largest === undefined) throw new Error('The profiler has written nothing.')
  return largest
}
