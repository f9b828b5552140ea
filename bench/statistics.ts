/**
 * Reads the statistics of the console's overview, and the longest ones that the graph allows, from a store with payments (default 200,000) of
 * many kinds: `npm run bench -- statistics [payments] [days]`, on SQLite and, if the tests' server answers, on PostgreSQL. Prints the rows
 * of the table within the time, those of the answer, and of five reads the shortest, with the CPU time of this process, in which SQLite
 * runs. Everything is removed at the end.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Store } from '../src/ledger/store.ts'
import type { StatisticsQuery } from '../src/store/port.ts'
import { findPostgres } from '../test/support/postgres.ts'
import { openPostgresStore, openSqliteStore } from '../test/support/store.ts'
import { shown, table } from './support/figures.ts'
import type { Run } from './support/fill-database.ts'

const [PAYMENTS = 200_000, DAYS = 30] = process.argv.slice(3).map(Number)
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const START = Date.UTC(2030, 0, 1)
const END = START + DAYS * DAY_MS
const TRIES = 5
const GOAL_MS = 100

const CURRENCIES = ['aud', 'jpy', 'krw', 'vnd', 'php', 'idr', 'inr', 'myr', 'thb', 'usd', 'hkd', 'nzd', 'kes', 'ghs']
const KINDS = ['card', 'bank', 'qr', 'ewallet', 'mobile_money']
/** Statuses with their phases and ranks; most payments succeed. */
const STATUSES = [
  ...Array.from({ length: 12 }, () => ['received', 'SUCCEEDED', 4] as const),
  ...(['failed', 'failed', 'failed', 'failed'] as const).map((status) => [status, 'FAILED', 4] as const),
  ['expired', 'EXPIRED', 4],
  ['pending', 'IN_PROGRESS', 0],
  ['return_received', 'REFUNDED', 6],
  ['in_dispute', 'DISPUTED', 5],
] as const
const FAILURES = ['insufficient_funds', 'issuer_declined', 'fraudulent', 'cvc_incorrect', 'authentication_failed']

/** Returns one of some values for payment `n`; `by` makes the choices independent of each other. */
function choice(values: readonly (string | number)[], by: number): string {
  const cases = values.map((value, index) => `WHEN ${index} THEN ${typeof value === 'number' ? value : `'${value}'`}`)
  return `(CASE (n * 2654435761 / ${by}) % ${values.length} ${cases.join(' ')} END)`
}

async function fill(run: Run): Promise<void> {
  const [currency, kind, failure] = [choice(CURRENCIES, 7), choice(KINDS, 101), choice(FAILURES, 10_007)]
  const [status, phase, rank] = [0, 1, 2].map((part) =>
    choice(
      STATUSES.map((one) => one[part] ?? ''),
      1_009,
    ),
  )
  const at = `CAST(${START} + n * ${(END - START) / PAYMENTS} AS BIGINT)`
  await run(`INSERT INTO payments (id, stream_id, state_json, status, phase, rank, currency, amount, method_code, created_at, updated_at,
      read_site, paid_after_ms)
    WITH RECURSIVE rows_of(n) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT n + 1 FROM rows_of WHERE n < ${PAYMENTS})
    SELECT 'PAY-' || n, 'payment:PAY-' || n, '{"id":"PAY-' || n || '","version":1,"statusRaw":"' || ${status} || '","seen":[],' ||
      '"details":{"currency":"' || upper(${currency}) || '","amount":"10.25","total":"10.50","paid":"10.25","methodRaw":"card"' ||
      (CASE WHEN ${status} = 'failed' THEN ',"failureCode":"' || ${failure} || '"' ELSE '' END) || '}}',
      ${status}, ${phase}, ${rank}, upper(${currency}), '10.25', 'au_' || ${kind} || '_' || ${currency}, ${at}, ${at},
      ${currency}, n * 7919 % 900000 FROM rows_of`)
}

const query = (by: StatisticsQuery['by'], over: Partial<StatisticsQuery> = {}): StatisticsQuery => ({
  from: END - 30 * DAY_MS + HOUR_MS / 2,
  to: null,
  interval: null,
  by,
  sums: false,
  times: false,
  riskAs: 'UNKNOWN',
  limit: 5_001,
  ...over,
})

const QUERIES: readonly (readonly [name: string, query: StatisticsQuery])[] = [
  ['30 days, with times', query([], { times: true })],
  ['30 days by day', query([], { interval: 'DAY' })],
  ['30 days by method', query(['methodKind'])],
  ['30 days by method and day', query(['methodKind'], { interval: 'DAY' })],
  ['30 days by failure and phase', query(['failureCategory', 'phase'])],
  ['30 days by currency and day', query(['currency'], { interval: 'DAY', sums: true })],
  ['24 hours by hour', query(['methodKind'], { interval: 'HOUR', from: END - DAY_MS })],
  ['14 days by hour', query(['methodKind'], { interval: 'HOUR', from: END - 14 * DAY_MS })],
  [
    'all, by all but failures',
    query(['currency', 'site', 'methodKind', 'phase', 'status'], { from: null, sums: true, times: true }),
  ],
]

async function report(title: string, store: Store, count: (sql: string) => Promise<number>): Promise<void> {
  await store.statistics.rebuild()
  const rows: string[][] = []
  for (const [name, one] of QUERIES) {
    const tries: { readonly ms: number; readonly cpuMs: number; readonly answered: number }[] = []
    for (let times = 0; times < TRIES; times += 1) {
      const [begun, cpu] = [performance.now(), process.cpuUsage()]
      const answered = (await store.statistics.read(one)).length
      const { user, system } = process.cpuUsage(cpu)
      tries.push({ ms: performance.now() - begun, cpuMs: (user + system) / 1_000, answered })
    }
    const [best] = tries.toSorted((a, b) => a.ms - b.ms)
    const unit = one.interval === 'HOUR' ? 'HOUR' : 'DAY'
    const within = await count(
      `SELECT count(*) AS rows FROM payment_statistics WHERE unit = '${unit}' AND start_at >= ${one.from ?? 0}`,
    )
    const { ms = 0, cpuMs = 0, answered = 0 } = best ?? {}
    rows.push([name, shown(within), shown(answered), shown(ms, 1), shown(cpuMs, 1), ms > GOAL_MS ? 'missed' : 'met'])
  }
  console.log(
    `\n${title}: ${shown(PAYMENTS)} payments of ${DAYS} days\n${table(['statistics', 'rows', 'answer', 'ms', 'CPU ms', `${GOAL_MS} ms`], rows)}`,
  )
}

const folder = mkdtempSync(join(tmpdir(), 'payments-bench-'))
const path = join(folder, 'payments.db')
const onSqlite = await openSqliteStore({ path })
const file = new DatabaseSync(path)
await fill((sql) => file.exec(sql))
await report('SQLite', onSqlite, (sql) => Promise.resolve(Number(file.prepare(sql).get()?.['rows'])))
file.close()
await onSqlite.close()
rmSync(folder, { recursive: true })

const server = await findPostgres()
if (server !== null) {
  const { url, run, drop } = await server.createDatabase()
  const onPostgres = await openPostgresStore({ url })
  await fill(run)
  await report('PostgreSQL', onPostgres, async (sql) => Number((await run(sql))[0]?.['rows']))
  await onPostgres.close()
  await drop()
}
