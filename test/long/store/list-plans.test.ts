import { DatabaseSync } from 'node:sqlite'
import { Client, types } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fillDatabase, fillingOf, paymentId } from '../../../bench/support/fill-database.ts'
import { type ListCase, listCases } from '../../../bench/support/list-cases.ts'
import { listsOn } from '../../../bench/support/lists-on.ts'
import { setForSession } from '../../../src/store/postgres/postgres-connection.ts'
import { queriesOn as postgresQueries } from '../../../src/store/postgres/postgres-transaction.ts'
import { PLANNING } from '../../../src/store/postgres/writer.ts'
import { LOOKED_AT } from '../../../src/store/queries/read-page.ts'
import { queriesOn as sqliteQueries } from '../../../src/store/sqlite/sqlite-dialect.ts'
import { FULL } from '../../faults/rounds.ts'
import { seeded } from '../../faults/seed.ts'
import { type SqliteFile, sqliteFile } from '../../store/contract/sqlite-fixture.ts'
import { type Database, findPostgres } from '../../support/postgres.ts'
import { openPostgresStore, openSqliteStore } from '../../support/store.ts'
import { notingPlans } from './noted-plans.ts'

/** More than a page looks at. */
const FILLING = fillingOf(6_000)
const { between } = seeded('which lists')
const ALL = listCases(FILLING)
/** Of the cases a usual run takes some, as the seed chooses. */
const CASES = ALL.filter(() => FULL || between(1, 8) === 1)

/** Conditions that few rows meet: only these rows are looked at. */
const RARE = /^(ids|reference|ownerId|duplicate|\w+Ids|needsAttention)$/
const isRare = ({ filter }: ListCase): boolean => Object.keys(filter).some((field) => RARE.test(field))
/** What keys find, rows about many ids, and what needs attention, are few, and are sorted together; so are the first of each table of the log. */
const isSorted = ({ list, keys, filter }: ListCase): boolean =>
  keys > 20 ||
  'ids' in filter ||
  (list === 'paymentAgreements' && 'clientTransactionId' in filter) ||
  filter['needsAttention'] === true ||
  Object.keys(filter).length === 0

it('knows every list that takes a filter', () => {
  expect(new Set(ALL.map(({ list }) => list)).size).toBe(7)
  expect(CASES.length).toBeGreaterThan(150)
})

describe('plans of lists on SQLite', () => {
  let file: SqliteFile
  let database: DatabaseSync
  let steps: string[] = []

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

  /** Returns lists on a connection that records the plan of each statement it prepares. */
  function noting() {
    steps = []
    return listsOn(sqliteQueries(notingPlans(database, steps)), FILLING, 'instr')
  }

  it('read what few rows meet by an index, and everything in the order of an index', async () => {
    const faults: string[] = []
    for (const listCase of CASES) {
      await listCase.read(noting())
      const wrong = steps.filter((step) => {
        if (/TEMP B-TREE|AUTOMATIC/.test(step)) return !isSorted(listCase)
        if (!/^(SCAN|SEARCH) \w+ USING|^SCAN (?!looked|part|log_head)/.test(step) || !isRare(listCase)) return false
        return !/=\?|_duplicate|_in_doubt/.test(step)
      })
      faults.push(...wrong.map((step) => `${listCase.name}: ${step}`))
    }
    expect(faults).toEqual([])
  })

  it('find what came to an address, and what needs attention, by their indexes', async () => {
    expect(await noting().inbox.subjectOf('ref-50')).toBe(paymentId(50))
    expect(steps).toEqual(['SEARCH deliveries USING INDEX deliveries_by_ref (ref=?)'])
    await noting().inbox.backlog()
    expect(
      steps.filter((step) => /SCAN deliveries(?! USING COVERING INDEX deliveries_by_disposition)/.test(step)),
    ).toEqual([])
  })
})

const server = await findPostgres()

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

  /** Returns what is wrong with the plans of a case. */
  async function faultsOf(listCase: ListCase): Promise<string[]> {
    const faults: string[] = []
    const ask = async (sql: string, parameters: readonly unknown[]) => {
      const plan = nodesOf(await planOf(client, sql, parameters))
      const rows = plan.map(rowsOf).reduce((sum, count) => sum + count, 0)
      // A page looks for its last row apart.
      if (rows > 2 * LOOKED_AT + 20 * listCase.keys) faults.push(`reads ${rows} rows`)
      if (!isSorted(listCase) && plan.some((node) => node['Node Type'].includes('Sort'))) faults.push('sorts')
      const removed = plan.filter(isScan).reduce((sum, node) => sum + (node['Rows Removed by Filter'] ?? 0), 0)
      if (removed > 20 * listCase.keys) faults.push(`skips ${removed} rows`)
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
    await listCase.read(listsOn(db, FILLING, 'strpos'))
    return faults.map((fault) => `${listCase.name}: ${fault}`)
  }

  it.each(['force_custom_plan', 'force_generic_plan'])('look at a bounded number of rows, with %s', async (mode) => {
    await client.query(`SET plan_cache_mode = ${mode}`)
    const faults: string[] = []
    for (const listCase of CASES) faults.push(...(await faultsOf(listCase)))
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
async function planOf(client: Client, sql: string, parameters: readonly unknown[]): Promise<PlanNode> {
  await client.query(`PREPARE asked AS ${sql}`)
  const literals = parameters.map((value) => client.escapeLiteral(String(value)))
  const given = literals.length === 0 ? '' : `(${literals.join(', ')})`
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) EXECUTE asked${given}`,
  )
  await client.query('DEALLOCATE asked')
  const plan = rows[0]?.['QUERY PLAN'][0].Plan
  if (plan === undefined) throw new Error('The server has explained nothing.')
  return plan
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)]
}

/** Of a table or an index; a subquery is what a page looks at. */
function isScan({ 'Node Type': type }: PlanNode): boolean {
  return type.endsWith('Scan') && type !== 'Subquery Scan'
}

function rowsOf(node: PlanNode): number {
  return isScan(node) ? (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'] : 0
}
