/**
 * Reads every list under every combination of conditions from a store of 1,000 events and from one of 1,000,000, and prints how
 * much longer the larger takes, in processor time: `npm run bench -- lists [payments]`, where 200,000 payments are a million
 * events. Both stores lie in SQLite files below the folder for temporary files, and are removed at the end.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { queriesOn } from '../src/store/sqlite-dialect.ts'
import { openSqliteStore } from '../test/store.ts'
import { fillDatabase } from './support/fill-database.ts'
import { type ListCase, type Lists, listCases } from './support/list-cases.ts'
import { listsOn } from './support/lists-on.ts'

const SMALL = 200
const LARGE = Number(process.argv[3] ?? 200_000)
const ROUNDS = 41
/** As many as the smaller store has of nearly everything. */
const LIMIT = 11

type Filled = { readonly lists: Lists; readonly cases: readonly ListCase[]; close(): void }

async function fill(payments: number): Promise<Filled> {
  const folder = mkdtempSync(join(tmpdir(), 'payments-bench-'))
  const path = join(folder, 'payments.db')
  await (await openSqliteStore({ path })).close()
  const database = new DatabaseSync(path)
  database.exec('PRAGMA cache_size = -500000; PRAGMA synchronous = OFF; BEGIN')
  await fillDatabase((sql) => database.exec(sql), payments)
  database.exec('COMMIT')
  const size = database.prepare('PRAGMA page_count').get()?.['page_count']
  console.log(`${payments} payments: ${Math.round((Number(size) * 4096) / 2 ** 20)} MiB`)
  return {
    lists: listsOn(queriesOn(database), payments),
    cases: listCases(payments),
    close() {
      database.close()
      rmSync(folder, { recursive: true })
    },
  }
}

/** Microseconds of processor time, and how many rows the page has. */
async function measure(listCase: ListCase, lists: Lists): Promise<{ time: number; rows: number }> {
  const begun = process.cpuUsage()
  const rows = await listCase.read(lists, LIMIT)
  const { user, system } = process.cpuUsage(begun)
  return { time: user + system, rows }
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

/** Turn by turn, so that whatever else the machine does falls upon both. */
async function compare(small: ListCase, large: ListCase): Promise<Compared> {
  const times: [number[], number[]] = [[], []]
  let rows = [0, 0]
  for (let round = 0; round < ROUNDS; round += 1) {
    const [a, b] = [await measure(small, few.lists), await measure(large, many.lists)]
    times[0].push(a.time)
    times[1].push(b.time)
    rows = [a.rows, b.rows]
  }
  return { name: large.name, small: median(times[0]), large: median(times[1]), rows }
}

type Compared = { name: string; small: number; large: number; rows: readonly number[] }

const few = await fill(SMALL)
const many = await fill(LARGE)
const results: Compared[] = []
for (const [index, large] of many.cases.entries()) {
  const small = few.cases[index]
  if (small !== undefined) results.push(await compare(small, large))
}
// A page that is full in the one and not in the other tells about pages, not about age.
const alike = results.filter(({ rows: [a = 0, b = 0] }) => a === b)
for (const { name, small, large, rows } of alike.toSorted((a, b) => b.large / b.small - a.large / a.small))
  console.log(`${(large / small).toFixed(2)} ×  ${small} -> ${large} µs  ${rows[1]} rows  ${name}`)
const longest = results.toSorted((a, b) => b.large - a.large)[0]
console.log(
  `${alike.length} of ${results.length} pages alike; median ratio ${median(alike.map(({ small, large }) => large / small)).toFixed(2)} ×`,
)
console.log(`longest: ${longest?.large} µs  ${longest?.name}`)
few.close()
many.close()
