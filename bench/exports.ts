/**
 * Downloads all payments of a SQLite store as a file, from a store with few payments and from one with many, and reads the same payments
 * through the list, page by page: `npm run bench -- exports [options]`. Prints the most memory that the process has had during each
 * download, and the CPU time of all its threads for 100 payments.
 *
 *   --payments <n>   payments of the larger store; default 200,000, of which 190,000 have an amount and are in the list
 *   --page <path>    page for the figures; default: docs/performance.md
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { buildWhenStale, BUILT } from './support/build.ts'
import { bearer } from './support/client-token.ts'
import { cpuSecondsOfThreads } from './support/cpu.ts'
import { type Figure, figureTable, shown, table } from './support/figures.ts'
import { fillingOf } from './support/fill-database.ts'
import { describeMachine, writeSection } from './support/performance-page.ts'
import { productionEnv, type ServerProcess, startServer } from './support/processes.ts'
import { createSqlite } from './support/webhooks/databases.ts'

const FEW = 2_000
const PAGE = 100
const MEBIBYTE = 1024 ** 2
/** Old generation of the heap of the process, in MiB: a process that kept the payments of the larger store would end. */
const HEAP_MIB = 128
/** Downloads before those that are measured, so that the code is compiled. */
const WARM_UP = 3

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    payments: { type: 'string', default: '200000' },
    page: { type: 'string', default: 'docs/performance.md' },
  },
})

type Data = {
  readonly createPaymentsExport: { readonly url: string }
  readonly payments: {
    readonly nodes: readonly unknown[]
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
  }
}

const EXPORT = 'mutation { createPaymentsExport(input: { format: NDJSON }) { ... on PaymentsExport { url } } }'
/** The fields of the file. */
const LIST = `query ($after: String) { payments(first: ${PAGE}, after: $after) {
  nodes { id reference site phase statusRaw methodRaw createdAt updatedAt link { id description owner { id } }
    amount { value currency } total { value } paid { value } refunded { value } }
  pageInfo { hasNextPage endCursor } } }`

async function ask(server: ServerProcess, query: string, variables: object = {}): Promise<Data> {
  const response = await fetch(`${server.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: bearer('payments:read') },
    body: JSON.stringify({ query, variables }),
  })
  const answer = (await response.json()) as { data?: Data; errors?: unknown }
  if (answer.data === undefined || answer.errors !== undefined) throw new Error(JSON.stringify(answer.errors))
  return answer.data
}

/** Returns the number of payments of a file, and its bytes. */
async function download(server: ServerProcess): Promise<{ payments: number; bytes: number }> {
  const { url } = (await ask(server, EXPORT)).createPaymentsExport
  const { body, status } = await fetch(url.replace(new URL(url).origin, server.url))
  if (status !== 200 || body === null) throw new Error(`The download was answered with ${status}.`)
  let [bytes, end] = [0, Buffer.alloc(0)]
  for await (const chunk of body) {
    bytes += chunk.length
    end = Buffer.concat([end, chunk]).subarray(-100)
  }
  const [, count] = /"count":(\d+)\}\n$/.exec(end.toString()) ?? []
  if (count === undefined) throw new Error('The file was cut off.')
  return { payments: Number(count), bytes }
}

/** Reads the list to its end. Returns the number of payments. */
async function readList(server: ServerProcess): Promise<number> {
  let count = 0
  for (let after: string | null = null, more = true; more;) {
    const { payments }: Data = await ask(server, LIST, { after })
    count += payments.nodes.length
    ;({ endCursor: after, hasNextPage: more } = payments.pageInfo)
  }
  return count
}

/** Runs some work. Returns the CPU milliseconds of the server for 100 payments, and the most memory that it had meanwhile. */
async function measured(server: ServerProcess, work: () => Promise<number>) {
  writeFileSync(`/proc/${server.pid}/clear_refs`, '5')
  const before = cpuSecondsOfThreads(server.pid)
  const payments = await work()
  const spent = cpuSecondsOfThreads(server.pid) - before
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8')) ?? []
  return { payments, msPerPage: (spent * 1_000 * PAGE) / payments, peak: Number(kilobytes) / 1_024 }
}

async function measure(payments: number) {
  await using cleanUp = new AsyncDisposableStack()
  const database = await createSqlite(fillingOf(payments))
  cleanUp.defer(() => database.remove())
  const env = productionEnv({ DATABASE_URL: database.url, WARM_UP_MS: '0' })
  const server = await startServer(BUILT, { env, execArgv: [`--max-old-space-size=${HEAP_MIB}`], cleanUp })
  for (let n = 0; n < WARM_UP; n += 1) await download(server)
  let bytes = 0
  const file = await measured(server, async () => {
    const got = await download(server)
    bytes = got.bytes
    return got.payments
  })
  return { ...file, bytes, list: await measured(server, () => readList(server)) }
}

buildWhenStale(BUILT)
const few = await measure(FEW)
const many = await measure(Number(values.payments))
const figures: Figure[] = [
  {
    name: 'most memory during the download, beyond that of the list',
    value: many.peak - many.list.peak,
    decimals: 0,
    unit: 'MB',
    goal: { kind: 'at most', value: 16 },
  },
  {
    name: 'CPU time of 100 payments in the file, against the list',
    value: many.msPerPage / many.list.msPerPage,
    decimals: 2,
    goal: { kind: 'at most', value: 1 },
  },
]
const summary = [
  '## Payments as a file',
  `\`npm run bench -- exports\`: ${describeMachine()}.`,
  `The product in production on SQLite. The file is NDJSON, of ${shown(few.payments)} and of ${shown(many.payments)} payments; the list has the same fields, 100 payments a page. The heap is limited to ${HEAP_MIB} MiB (\`--max-old-space-size\`); the rest is code, and the database's page cache. CPU time is that of all threads.`,
  figureTable(figures),
].join('\n\n')
console.log(summary)
console.log(
  table(
    ['payments', 'MB of the file', 'MB at most, file', 'MB at most, list', 'ms for 100, file', 'ms for 100, list'],
    [few, many].map(({ payments, bytes, peak, msPerPage, list }) => [
      shown(payments),
      shown(bytes / MEBIBYTE, 1),
      shown(peak, 0),
      shown(list.peak, 0),
      shown(msPerPage, 2),
      shown(list.msPerPage, 2),
    ]),
  ),
)
if (values.page !== '') writeSection(values.page, 'exports', summary)
