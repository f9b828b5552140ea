/**
 * CPU profile of webhooks and of queries: the product on SQLite takes as many as it can, on one core, under Node's profiler. Prints each
 * part's share of the program's busy time, that of metrics too: `npm run bench -- webhook-profile [seconds]`.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bearer } from './support/client-token.ts'
import { moveToLoadCore } from './support/cores.ts'
import { fillingOf } from './support/fill-database.ts'
import { sendAll } from './support/http/send.ts'
import { describeMachine } from './support/performance-page.ts'
import type { ServerProcess } from './support/processes.ts'
import { createSqlite } from './support/webhooks/databases.ts'
import { startSender } from './support/webhooks/load.ts'
import { startProduct } from './support/webhooks/processes.ts'
import { type Profile, sharesOf } from './support/webhooks/profile.ts'

/** Not the built program, which is one file for all parts. */
const PROGRAM = 'src/main.ts'
const PAYMENTS = 1_000
const WARM_UP_SECONDS = 3
const EXPECTED_PER_SECOND = 8_000
const QUERIES = 5_000
const CONNECTIONS = { connections: 32, perSecond: null }

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
  const sender = await startSender(64)
  cleanUp.defer(() => sender.stop())
  const webhooks = await profileOf('webhooks', async ({ url, pid }) => {
    const receiver = { urls: [url], pids: [pid] }
    const load = { perSecond: null, expectedPerSecond: EXPECTED_PER_SECOND, again: false }
    await sender.measure(receiver, { ...load, seconds: WARM_UP_SECONDS })
    const { totals } = await sender.measure(receiver, { ...load, seconds })
    if (Object.keys(totals.refused).length > 0) throw new Error(`Refused: ${JSON.stringify(totals.refused)}`)
    return seconds
  })
  const queries = await profileOf('queries', async ({ url }) => {
    const request = queryRequest(url)
    const send = (count: number) => sendAll(url, Array<string>(count).fill(request), CONNECTIONS, '"nodes"')
    const { seconds: took } = await send(QUERIES)
    return (await send(Math.ceil((QUERIES * seconds) / took))).seconds
  })
  const parts = [...new Set([...webhooks.keys(), ...queries.keys()])]
  const percent = (share = 0) => `${(share * 100).toFixed(1)} %`
  const rows = parts.map((part) => `| ${part} | ${percent(webhooks.get(part))} | ${percent(queries.get(part))} |`)
  const text = [
    '## What a webhook and a query cost',
    `\`npm run bench -- webhook-profile ${seconds}\`: ${describeMachine()}.`,
    'Share of the time for which the main thread was busy, while webhooks were stored on SQLite, and pages of ten payments read.',
    ['| part | webhooks | queries |', '|---|---|---|', ...rows].join('\n'),
  ].join('\n\n')
  console.log(text)
}

/** Returns the share of each part in the last seconds of the product under a load. `drive` returns how many seconds these are. */
async function profileOf(
  name: string,
  drive: (product: ServerProcess) => Promise<number>,
): Promise<ReadonlyMap<string, number>> {
  const database = await createSqlite(fillingOf(PAYMENTS))
  cleanUp.defer(() => database.remove())
  const own = join(folder, name)
  const product = await startProduct(PROGRAM, database.url, cleanUp, {
    // The profile ends with the load.
    SHUTDOWN_DELAY_MS: '0',
    NODE_OPTIONS: `--conditions=payments-subgraph-source --cpu-prof --cpu-prof-dir=${own}`,
  })
  const lasted = await drive(product)
  await product.stop()
  return new Map(sharesOf(profileOfMainThread(own), lasted).map(({ part, share }) => [part, share]))
}

function queryRequest(url: string): string {
  const query = '{ payments(first: 10) { nodes { id status amount { value currency } } } }'
  const body = JSON.stringify({ query })
  return [
    'POST /graphql HTTP/1.1',
    `host: ${new URL(url).host}`,
    `authorization: ${bearer('payments:read')}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n')
}

/** Other threads, and other Node processes that the start runs, write profiles of their own. */
function profileOfMainThread(from: string): Profile {
  const profiles = readdirSync(from).map((file) => JSON.parse(readFileSync(join(from, file), 'utf8')) as Profile)
  const main = profiles.find(({ nodes }) => nodes.some(({ callFrame: { url } }) => url.includes('/src/http/server/')))
  if (main === undefined) throw new Error('The profiler has written nothing.')
  return main
}
