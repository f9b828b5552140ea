/**
 * Reads a page of every list under every combination of conditions from a store with `payments` (default 200,000), on SQLite and, if the
 * tests' server answers, on PostgreSQL; then follows the cursors of the lists under some filters to the end: `npm run bench -- lists
 * [payments]`. Prints the longest pages, and for how long each held up the event loop of this process. Of three reads the shortest counts,
 * because what is really slower is slower each time. Everything is removed at the end.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Store } from '../src/ledger/store.ts'
import { SEARCH_FIELDS } from '../src/store/port.ts'
import { findPostgres } from '../test/support/postgres.ts'
import { openPostgresStore, openSqliteStore } from '../test/support/store.ts'
import { fillingOf, instantOf } from './support/fill-database.ts'
import { type ListCase, listCases } from './support/list-cases.ts'
import { createPostgres, createSqlite } from './support/webhooks/databases.ts'

const FILLING = fillingOf(Number(process.argv[3] ?? 200_000))
const CASES = listCases(FILLING)
const GOALS = { page: 100, hold: 20 }
const TRIES = 3
const SHOWN = 5

/** Milliseconds that a page took, and for which it held up the event loop, with its rows. */
type Measured = { readonly name: string; readonly page: number; readonly hold: number; readonly rows: number }

/** The histogram counts from one timer to the next. */
const RESOLUTION = 1

async function measureOnce(store: Store, { name, read }: ListCase): Promise<Measured> {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION })
  delay.enable()
  const begun = performance.now()
  const { rows } = await read(store)
  const page = performance.now() - begun
  // A turn after it, so that the last hold is counted.
  await new Promise((resolve) => setTimeout(resolve, 2 * RESOLUTION))
  delay.disable()
  return { name, page, hold: Math.max(0, delay.max / 1e6 - RESOLUTION), rows: rows.length }
}

async function measure(store: Store, listCase: ListCase): Promise<Measured> {
  const all: Measured[] = []
  for (let tries = 0; tries < TRIES; tries += 1) all.push(await measureOnce(store, listCase))
  const least = (of: 'page' | 'hold') => Math.min(...all.map((one) => one[of]))
  return { name: listCase.name, page: least('page'), hold: least('hold'), rows: all[0]?.rows ?? 0 }
}

/** Follows the cursors of a list to its end; at most as many pages as there are thousands of rows. */
async function follow(store: Store, { name, read }: ListCase): Promise<string> {
  const begun = performance.now()
  let [pages, rows, longest] = [0, 0, 0]
  let first: number | null = null
  let place: Parameters<ListCase['read']>[2] = null
  do {
    const from = performance.now()
    const page = await read(store, undefined, place)
    longest = Math.max(longest, performance.now() - from)
    pages += 1
    rows += page.rows.length
    if (rows > 0) first ??= pages
    place = page.next
  } while (place !== null && pages < FILLING.payments / 100)
  const ms = performance.now() - begun
  const found = first === null ? '' : `, the first on page ${first}`
  return `${pages} pages, ${rows} rows${found}; ${ms.toFixed(0)} ms, a page at most ${longest.toFixed(1)} ms  ${name}`
}

/** Filters of which each condition alone is frequent, that match few rows or none, or nothing at all. */
const FOLLOWED = [
  'payments(phases=DISPUTED, updatedBefore=middle)',
  'payments(reference=shared, phases=DISPUTED)',
  'payments(reference=none)',
  'paymentLinks(reference=shared, phases=DISPUTED)',
  'paymentLinks(phases=DISPUTED)',
  'paymentAgreements(statuses=suspended)',
  'recordedPayouts(methodCode=none)',
  'recordedPayouts(statuses=expired, reference=shared)',
  'gatewayPayments(statuses=in_dispute)',
  'webhookDeliveries(dispositions=QUARANTINED)',
  'paymentEvents(kinds=AGREEMENT_CREATED)',
]

/** What the console's palette searches: a beginning that many and few have, an amount, an end, and what nothing has. */
const SEARCHED = ['PAY-', 'order-1999', '10.00', `${FILLING.payments - 1}`, '8d3a-5e6f7a8b9c0d', 'nothing']

/** Searches three times, and returns what the shortest search took and found. */
async function search(store: Store, text: string): Promise<string> {
  const all: string[] = []
  for (let tries = 0; tries < TRIES; tries += 1) {
    const [begun, cpu] = [performance.now(), process.cpuUsage()]
    const { matches } = await store.payments.search({ text, fields: SEARCH_FIELDS, limit: 8 })
    const ms = (performance.now() - begun).toFixed(1).padStart(7)
    all.push(
      `${ms} ms, CPU ${(process.cpuUsage(cpu).user / 1_000).toFixed(1)} ms, ${matches.length} found  search(${text})`,
    )
  }
  return all.toSorted()[0] ?? ''
}

/** Returns a case's name with its conditions in alphabetical order. */
function conditionsOf(name: string): string {
  return name
    .split(/[(),]+ ?/)
    .toSorted()
    .join()
}

async function report(title: string, store: Store): Promise<void> {
  // The first query starts the thread of SQLite, and connections.
  await CASES[0]?.read(store)
  const measured: Measured[] = []
  for (const listCase of CASES) measured.push(await measure(store, listCase))
  const above = measured.filter(({ page, hold }) => page > GOALS.page || hold > GOALS.hold)
  console.log(
    `\n${title}: ${measured.length} filters, ${above.length} above ${GOALS.page} ms or a hold of ${GOALS.hold} ms`,
  )
  for (const by of ['page', 'hold'] as const) {
    console.log(`longest ${by}:`)
    for (const { name, page, hold, rows } of measured.toSorted((a, b) => b[by] - a[by]).slice(0, SHOWN))
      console.log(`${page.toFixed(1).padStart(7)} ms, hold ${hold.toFixed(1).padStart(5)} ms, ${rows} rows  ${name}`)
  }
  for (const name of FOLLOWED) {
    const listCase = CASES.find((each) => conditionsOf(each.name) === conditionsOf(name))
    if (listCase === undefined) throw new Error(`There is no case ${name}.`)
    console.log(await follow(store, listCase))
  }
  for (const text of SEARCHED) console.log(await search(store, text))
}

const clock = () => new Date(instantOf(FILLING, FILLING.payments) + 3_500_000)
const sqlite = await createSqlite(FILLING)
const onSqlite = await openSqliteStore({ path: sqlite.url.slice('file:'.length), clock })
await report('SQLite', onSqlite)
await onSqlite.close()
await sqlite.remove()
const server = await findPostgres()
if (server !== null) {
  const postgres = await createPostgres(server, FILLING)
  const onPostgres = await openPostgresStore({ url: postgres.url, clock })
  await report('PostgreSQL', onPostgres)
  await onPostgres.close()
  await postgres.remove()
}
