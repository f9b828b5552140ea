/**
 * Reads every list under every combination of conditions from a store of about 1,000 events and from one of about 1,000,000 (`payments`,
 * default 200,000, at 5.5 events each), and prints the ratio of their processor times: `npm run bench -- lists [payments]`. A case with a
 * ratio above 1.2 is measured again, up to three times in total. Two comparisons show the limits of the measurement: the smaller store with
 * itself; and finding as many ids as the longest filters name, in an index alone and with their rows, because a larger tree is deeper and
 * does not fit into the processor's caches. Both stores are SQLite files below the folder for temporary files, and are removed at the end.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { SQLITE_SEARCH } from '../src/store/queries/payment-search.ts'
import { queriesOn } from '../src/store/sqlite/sqlite-dialect.ts'
import { openSqliteStore } from '../test/support/store.ts'
import { agreementId, fillDatabase, type Filling, fillingOf, paymentId } from './support/fill-database.ts'
import { type ListCase, type Lists, listCases } from './support/list-cases.ts'
import { listsOn } from './support/lists-on.ts'

const SMALL = 200
const LARGE = Number(process.argv[3] ?? 200_000)
const ROUNDS = 41
/** Page size. Nearly every condition matches at least this number of rows in the smaller store. */
const LIMIT = 11

/** Number of ids in the longest filters. */
const MANY = 120
const GOAL = 1.2
const TRIES = 3

type Filled = Filling & {
  readonly database: DatabaseSync
  readonly lists: Lists
  readonly cases: readonly ListCase[]
  close(): void
}

async function fill(payments: number): Promise<Filled> {
  const folder = mkdtempSync(join(tmpdir(), 'payments-bench-'))
  const path = join(folder, 'payments.db')
  await (await openSqliteStore({ path })).close()
  const database = new DatabaseSync(path)
  database.exec('PRAGMA cache_size = -500000; PRAGMA synchronous = OFF; BEGIN')
  const filling = fillingOf(payments)
  await fillDatabase((sql) => database.exec(sql), filling)
  database.exec('COMMIT')
  const size = database.prepare('PRAGMA page_count').get()?.['page_count']
  console.log(`${payments} payments: ${Math.round((Number(size) * 4096) / 2 ** 20)} MiB`)
  return {
    ...filling,
    database,
    lists: listsOn(queriesOn(database), filling, SQLITE_SEARCH),
    cases: listCases(filling),
    close() {
      database.close()
      rmSync(folder, { recursive: true })
    },
  }
}

type Measured = { readonly time: number; readonly rows: number }

/**
 * Measures microseconds of processor time, and the number of rows of the page. The time is that of the process, because Linux counts the
 * time of a thread in ticks of 4 ms.
 */
async function measure(read: () => Promise<number>): Promise<Measured> {
  const begun = process.cpuUsage()
  const rows = await read()
  const { user, system } = process.cpuUsage(begun)
  return { time: user + system, rows }
}

/** Returns the lower quartile, which excludes most of the time that garbage collection and other programs add. */
const quartile = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 2] ?? 0

type Compared = {
  readonly name: string
  readonly keys: number
  readonly small: number
  readonly large: number
  /** Ratio of the first store to itself. */
  readonly noise: number
  readonly rows: readonly number[]
}

/** Measures both stores in turns, so that other load on the machine affects them equally. */
async function compareOnce(
  { name, keys }: Pick<ListCase, 'name' | 'keys'>,
  small: () => Promise<number>,
  large: () => Promise<number>,
): Promise<Compared> {
  const times: [number[], number[], number[]] = [[], [], []]
  let rows: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const measured = [await measure(small), await measure(large), await measure(small)] as const
    for (const [index, { time }] of measured.entries()) times[index]?.push(time)
    rows = measured.map((each) => each.rows)
  }
  const [first, second, third] = [quartile(times[0]), quartile(times[1]), quartile(times[2])]
  return { name, keys, small: first, large: second, noise: third / first, rows }
}

const ratio = ({ small, large }: Compared): number => large / small

/** Returns the lowest ratio of several measurements, because a case that is really slower is slower in each of them. */
async function compare(...asked: Parameters<typeof compareOnce>): Promise<Compared> {
  let best = await compareOnce(...asked)
  for (let again = 1; again < TRIES && ratio(best) > GOAL; again += 1) {
    const other = await compareOnce(...asked)
    if (ratio(other) < ratio(best)) best = other
  }
  return best
}

/** Lookups by id that the longest filters cause in the database, with prepared statements. The ids are those of the cases. */
const PAYMENTS = { columns: 'stream_id, id', table: 'payments', idOf: paymentId }
const AGREEMENTS = { columns: 'stream_id, id', table: 'agreements', idOf: agreementId }
const FLOORS = [
  { name: `${MANY} ids of payments in their index alone`, finds: [{ ...PAYMENTS, columns: 'id' }] },
  { name: `${MANY} payments by their ids`, finds: [PAYMENTS] },
  { name: `${MANY} payments, and agreements, by their ids`, finds: [AGREEMENTS, PAYMENTS] },
] as const

function finderIn({ database, payments }: Filled, { finds }: (typeof FLOORS)[number]): () => Promise<number> {
  const readers = finds.map(({ columns, table, idOf }) => {
    const ids = Array.from({ length: MANY }, (_, n) => idOf(1 + ((payments / 2 + 7 * n) % payments)))
    const found = database.prepare(`SELECT ${columns} FROM ${table} WHERE id IN (${ids.map(() => '?').join()})`)
    return () => found.all(...ids).length
  })
  return async () => readers.reduce((sum, read) => sum + read(), 0)
}

const show = (compared: Compared): string =>
  `${ratio(compared).toFixed(2)} ×  ${compared.small} -> ${compared.large} µs  ${compared.rows[1]} rows  ${compared.name}`

const few = await fill(SMALL)
const many = await fill(LARGE)
const floors: Compared[] = []
for (const floor of FLOORS)
  floors.push(await compareOnce({ name: floor.name, keys: MANY }, finderIn(few, floor), finderIn(many, floor)))
const results: Compared[] = []
for (const [index, large] of many.cases.entries()) {
  const small = few.cases[index]
  if (small === undefined) continue
  const readSmall = () => small.read(few.lists, LIMIT)
  results.push(await compare(large, readSmall, () => large.read(many.lists, LIMIT)))
}
// If pages have different lengths, the ratio shows the difference of the pages and not of the stores.
const alike = results.filter(({ rows: [a = 0, b = 0] }) => a === b).toSorted((a, b) => ratio(b) - ratio(a))
for (const compared of alike) console.log(show(compared))
const above = alike.filter((compared) => ratio(compared) > GOAL)
const noise = alike.map((compared) => compared.noise).toSorted((a, b) => a - b)
const longest = results.toSorted((a, b) => b.large - a.large)[0]
for (const floor of floors) console.log(`the database alone: ${show(floor)}`)
console.log(`the smaller store against itself: up to ${noise.at(-1)?.toFixed(2)} ×, 99 % up to ${at(noise, 0.99)} ×`)
console.log(
  `${alike.length} of ${results.length} pages alike; median ratio ${at(alike.map(ratio).toReversed(), 0.5)} ×`,
)
console.log(
  `above ${GOAL} ×: ${above.filter(({ keys }) => keys < MANY).length} with few ids, ${above.filter(({ keys }) => keys >= MANY).length} with ${MANY} or more`,
)
console.log(`longest: ${longest?.large} µs  ${longest?.name}`)
few.close()
many.close()

function at(sorted: readonly number[], part: number): string {
  return (sorted[Math.floor(sorted.length * part)] ?? Number.NaN).toFixed(2)
}
