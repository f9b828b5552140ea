import { DatabaseSync } from 'node:sqlite'
import { Client, types } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fillDatabase, fillingOf, paymentId } from '../../../bench/support/fill-database.ts'
import { type ListCase, listCases } from '../../../bench/support/list-cases.ts'
import { listsOn } from '../../../bench/support/lists-on.ts'
import { setForSession } from '../../../src/store/postgres/postgres-connection.ts'
import { queriesOn as postgresQueries } from '../../../src/store/postgres/postgres-transaction.ts'
import { PLANNING } from '../../../src/store/postgres/writer.ts'
import { POSTGRES_SEARCH, SQLITE_SEARCH } from '../../../src/store/queries/payment-search.ts'
import { queriesOn as sqliteQueries } from '../../../src/store/sqlite/sqlite-dialect.ts'
import { FULL } from '../../faults/rounds.ts'
import { seeded } from '../../faults/seed.ts'
import { type SqliteFile, sqliteFile } from '../../store/contract/sqlite-fixture.ts'
import { type Database, findPostgres } from '../../support/postgres.ts'
import { openPostgresStore } from '../../support/store.ts'
import { openSqliteStore } from '../../support/store.ts'

/** Enough that a full table scan cannot be mistaken for the read of a page. */
const FILLING = fillingOf(3_000)
const CASES = listCases(FILLING)

/** Without a condition a list scans its table, from one end. */
const WHOLE_TABLES =
  /^(SCAN|SEARCH) (deliveries|events|payout_events|gateway_payment_events)( USING INTEGER PRIMARY KEY \(rowid[<>]\?\))?$/

/** Phases times the two columns that can hold a reference, and the first payment with it: of each range at most one page is read. */
const MOST_RANGES = 2 * 8 + 1

/** Rows of a page: few, so that reading the interval between two instants cannot be mistaken for reading a page of each range. */
const ROWS = 11

/**
 * Links past their expiry without a report from the payments API are sorted as a range of their own: few, since each waits for one read.
 */
const UNCONFIRMED = /^SEARCH links USING (COVERING )?INDEX links_open_by_expiry \(expires_at<\?\)$/

/** Partial indexes that contain the subjects in doubt alone, and what was delivered about these few. */
const IN_DOUBT =
  /^(SCAN (payments|agreements|payout_records) USING INDEX \2_in_doubt|SEARCH deliveries USING INDEX deliveries_by_subject \(subject_id=\?\))$/

/** The first payment with a reference, which is not in the indexes of lists by reference. */
const FIRST_OF_REFERENCE =
  /^SEARCH payments USING INDEX payments_search_reference \(<expr>=\? AND reference_repeats=\?\)$/

/** A partial index that contains the open duplicates alone. */
const DUPLICATES = /^(SCAN|SEARCH) payments USING INDEX payments_duplicate( \(<expr><\?\))?$/

it('knows every list that takes a filter', () => {
  expect(new Set(CASES.map(({ list }) => list))).toEqual(
    new Set([
      'payments',
      'paymentLinks',
      'paymentAgreements',
      'recordedPayouts',
      'gatewayPayments',
      'paymentEvents',
      'webhookDeliveries',
    ]),
  )
  expect(CASES.length).toBeGreaterThan(900)
})

describe('plans of lists on SQLite', () => {
  let file: SqliteFile
  let database: DatabaseSync
  let explained: string[][] = []
  const plans = new Map<string, string[]>()

  beforeAll(async () => {
    file = await sqliteFile()
    await (await openSqliteStore({ path: file.path })).close()
    database = new DatabaseSync(file.path)
    await fillDatabase((sql) => database.exec(sql), FILLING)
  })

  afterAll(async () => {
    database.close()
    await file.remove()
  })

  /** Returns a connection that records the plan of each statement it prepares. */
  function noting(): DatabaseSync {
    return new Proxy(database, {
      get: (target, name) =>
        name === 'prepare'
          ? (sql: string) => {
              const plan = plans.get(sql) ?? planOf(target, sql)
              plans.set(sql, plan)
              explained.push(plan)
              return target.prepare(sql)
            }
          : Reflect.get(target, name),
    })
  }

  it('look every condition up in an index, and sort no more than pages', async () => {
    const faults = await faultsOf(CASES, async (listCase) => {
      explained = []
      await listCase.read(listsOn(sqliteQueries(noting()), FILLING, SQLITE_SEARCH))
      return explained.flatMap((plan) => faultsIn(plan, listCase))
    })
    expect(faults).toEqual([])
  })

  it('find what came to an address by its index', async () => {
    explained = []
    expect(await listsOn(sqliteQueries(noting()), FILLING, SQLITE_SEARCH).inbox.subjectOf('ref-50')).toBe(paymentId(50))
    expect(explained).toEqual([['SEARCH deliveries USING INDEX deliveries_by_ref (ref=?)']])
  })
})

/** Returns the steps of a plan. A step that sorts a whole range, before its limit, ends in `of a range`. */
function planOf(database: DatabaseSync, sql: string): string[] {
  const steps = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all()
  const part = new Set(steps.filter(({ detail }) => detail === 'CO-ROUTINE part').map(({ id }) => id))
  return steps.map(
    ({ parent, detail }) => `${String(detail)}${part.has(parent) && /TEMP/.test(String(detail)) ? ' of a range' : ''}`,
  )
}

/** Returns the steps of a plan that read more rows than they return. Sorting the pages of the ranges is allowed: each has its own limit. */
function faultsIn(plan: readonly string[], { filter }: ListCase): string[] {
  const sorted = [UNCONFIRMED, FIRST_OF_REFERENCE].find((few) => plan.some((step) => few.test(step)))
  const fields = Object.keys(filter)
  const manyIds = Object.values(filter).some((value) => Array.isArray(value) && value.length > 20)
  return plan.filter((step) => {
    if (sorted !== undefined && (sorted.test(step) || isOnlyOne(plan, step, SORTED_RANGE))) return false
    if (FRAME.test(step) || BY_KEY.test(step) || NEXT_GROUP.test(step) || DUPLICATES.test(step)) return false
    if (filter['needsAttention'] === true && (IN_DOUBT.test(step) || SORTED_RANGE.test(step))) return false
    if (manyIds && SORTED_RANGE.test(step)) return false
    if (fields.length === 0 && WHOLE_TABLES.test(step)) return false
    const [, table = '', constraints = ''] = /^SEARCH (\w+) USING (?:COVERING )?INDEX \w+ \((.+)\)$/.exec(step) ?? []
    const wanted = conditionsOn(table, fields)
    return wanted.length === 0 || !wanted.every((condition) => condition.test(constraints))
  })
}

function isOnlyOne(plan: readonly string[], step: string, pattern: RegExp): boolean {
  return pattern.test(step) && plan.filter((other) => pattern.test(other)).length === 1
}

/** Rows about many ids are few per id, and are sorted together. */
const SORTED_RANGE = /^USE TEMP B-TREE FOR ORDER BY of a range$/

/** Steps that merge the ranges and read the page's own rows. */
const FRAME =
  /^(SCAN log_head|COMPOUND QUERY|LEFT-MOST SUBQUERY|UNION ALL|LIST SUBQUERY \d+|CREATE BLOOM FILTER|(CO-ROUTINE|MATERIALIZE|SCAN) (part|page)|USE TEMP B-TREE FOR ORDER BY|MERGE \(UNION ALL\)|LEFT|RIGHT)$/
const BY_KEY =
  /^SEARCH (\w+) USING (INTEGER PRIMARY KEY \(rowid=\?\)|INDEX (sqlite_autoindex_\1_1|payments_by_link) \((id|link_ref)=\?\))$/

/** The conditions of payouts of which one is in the index. Without a reference, others are checked on the rows. */
const EQUAL = /^(reference|methodCode|currency|site)$/

/** The searches for the groups of payouts with one reference: one for each group. */
const NEXT_GROUP =
  /^(SEARCH payout_records USING (COVERING )?INDEX payout_records_by_group \(<expr>=\?( AND <expr>>\?)?\)|(CO-ROUTINE|SCAN) named|SETUP|RECURSIVE STEP|SCAN CONSTANT ROW|(CORRELATED )?SCALAR SUBQUERY \d+)$/

function payoutCondition(fields: readonly string[]): RegExp {
  const equal = fields.filter((field) => EQUAL.test(field))
  if (equal.includes('reference') && equal.length > 1) return /^<expr>=\? AND <expr>=\? AND status=\?/
  return equal.length > 0 ? /^(reference|method_code|currency|site)=\? AND status=\?/ : /^<expr>=\?/
}

/** Returns the conditions that the index must check, so that only listed rows are read. */
function conditionsOn(table: string, fields: readonly string[]): RegExp[] {
  const has = (pattern: RegExp): boolean => fields.some((field) => pattern.test(field))
  const instant = (column: string): RegExp[] => [
    ...(has(/From$/) ? [new RegExp(`${column}>\\?`)] : []),
    ...(has(/edBefore$/) ? [new RegExp(`${column}(,rowid)?\\)?<`)] : []),
  ]
  const phase = has(/^reference$/) ? [/^(other_)?reference=\? AND <expr>=\?/] : null
  if (table === 'payments') return [...(phase ?? [/^phase=\?/]), ...instant('updated_at')]
  if (table === 'links') return [...(phase ?? [/^<expr>=\?/]), ...instant('created_at')]
  if (table === 'payout_records') return [payoutCondition(fields), ...instant('created_at')]
  if (table === 'agreements') return [/^status=\?/, ...instant('created_at')]
  if (table === 'gateway_payments')
    return [has(/^orderId$/) ? /^order_id=\? AND status=\?/ : /^<expr>=\?/, ...instant('created_at')]
  if (table.endsWith('events')) return has(/Ids$/) ? [/^stream_id=\?/] : [/^kind=\? AND/]
  return has(/Ids$/) ? [/^subject_id=\?/] : [/^disposition=\?/]
}

const server = await findPostgres()

const { between } = seeded('which plan of a list')
/** For each case a number from 0 to 3. */
const ONE_OF_FOUR = CASES.map(() => between(0, 3))

describe.skipIf(server === null)('plans of lists on PostgreSQL', () => {
  let database: Database
  let client: Client

  beforeAll(async () => {
    if (server === null) return
    database = await server.createDatabase()
    await (await openPostgresStore({ url: database.url })).close()
    client = new Client({ connectionString: database.url, types: { getTypeParser } })
    await client.connect()
    await fillDatabase((sql) => client.query(sql), FILLING)
    await client.query('ANALYZE')
    await client.query(setForSession(PLANNING))
  })

  afterAll(async () => {
    await client.end()
    await database.drop()
  })

  /** Returns the number of rows that the server reads for a case, in tables and indexes, including rows that it filters out. */
  async function rowsRead(listCase: ListCase): Promise<number> {
    let rows = 0
    const ask = async (sql: string, parameters: readonly unknown[]) => {
      rows += await rowsOf(client, sql, parameters)
      const { command, rowCount, rows: found } = await client.query<Record<string, unknown>>(sql, [...parameters])
      return { command, rowCount, rows: found }
    }
    // Queries that the store sends at once have one connection here.
    let last: Promise<unknown> = Promise.resolve()
    const run = (sql: string, parameters: readonly unknown[] = []) => {
      const answer = last.then(() => ask(sql, parameters))
      last = answer.catch(() => {})
      return answer
    }
    const db = postgresQueries(() => Promise.resolve({ connection: { run }, release: () => {} }))
    await listCase.read(listsOn(db, FILLING, POSTGRES_SEARCH), ROWS)
    return rows
  }

  it.each([
    ['force_custom_plan', 0],
    ['force_generic_plan', 1],
  ])('read little more than the page, with %s', async (mode, row) => {
    await client.query(`SET plan_cache_mode = ${mode}`)
    // In a full run each case has both plans. In every other one half of them have one plan, as the seed chooses.
    const cases = CASES.filter((_, index) => FULL || ONE_OF_FOUR[index] === row)
    expect(cases.length).toBeGreaterThan(150)
    const faults = await faultsOf(cases, async (listCase) => {
      const rows = await rowsRead(listCase)
      const most = MOST_RANGES * ROWS + 20 * listCase.keys
      return rows > most ? [`read ${rows} rows`] : []
    })
    expect(faults).toEqual([])
  })
})

const INT8 = 20

/** Parses numbers as the store does. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  return oid === INT8 ? Number : (types.getTypeParser(oid, format) as (value: string) => unknown)
}

type PlanNode = {
  readonly 'Node Type': string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly PlanNode[]
}

/** Uses a prepared statement, as the store does, so that generic plans are tested too. */
async function rowsOf(client: Client, sql: string, parameters: readonly unknown[]): Promise<number> {
  await client.query(`PREPARE asked AS ${sql}`)
  const literals = parameters.map((value) => client.escapeLiteral(String(value)))
  const given = literals.length === 0 ? '' : `(${literals.join(', ')})`
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) EXECUTE asked${given}`,
  )
  await client.query('DEALLOCATE asked')
  return rows.reduce((sum, row) => sum + scanned(row['QUERY PLAN'][0].Plan), 0)
}

function scanned(node: PlanNode): number {
  const below = (node.Plans ?? []).reduce((sum, plan) => sum + scanned(plan), 0)
  if (!node['Node Type'].endsWith('Scan')) return below
  return below + (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
}

async function faultsOf(
  cases: readonly ListCase[],
  faults: (listCase: ListCase) => Promise<string[]>,
): Promise<string[]> {
  const found: string[] = []
  for (const listCase of cases) found.push(...(await faults(listCase)).map((fault) => `${listCase.name}: ${fault}`))
  return found
}
