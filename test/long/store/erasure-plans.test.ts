import { expect, it } from 'vitest'
import type { Db } from '../../../src/store/group-commit.ts'
import { nextSubjects } from '../../../src/store/retention/erasure-queries.ts'
import { present } from '../../store/contract/builders.ts'
import { findPostgres } from '../../support/postgres.ts'
import { notedPostgres, notedSqlite } from './noted-plans.ts'

/** An owner of every thousandth link, and a payer of every thousandth payment; the others have owners and addresses of their own. */
const FILL = [
  ...['payments', 'agreements'].map(
    (table) => `UPDATE ${table} SET owner_id = CASE WHEN number % 1000 = 7 THEN 'owner' ELSE 'owner-' || number END`,
  ),
  `INSERT INTO payment_payers (payment_id, name, email)
    SELECT id, 'Ada Payer', CASE WHEN number % 1000 = 7 THEN 'Ada@example.test' ELSE 'ada-' || number || '@example.test' END FROM payments`,
]

type Case = Parameters<typeof nextSubjects>[1] & { readonly count: number }

/** Returns erasures of each kind, and how many payments or agreements their first slice has. `linkId` is a link with a payment. */
function casesOf(linkId: string): Case[] {
  const start = { cursor: null }
  return [
    { ...start, kind: 'EMAIL', value: 'ada@example.test', count: 3 },
    { ...start, kind: 'LINK', value: linkId, count: 1 },
    { ...start, kind: 'OWNER', value: 'owner', count: 3 },
    { kind: 'OWNER', value: 'owner', cursor: 'payments:1500', count: 1 },
    { kind: 'OWNER', value: 'owner', cursor: 'agreements:0', count: 2 },
  ]
}

async function countOf(db: Db, erasure: Case): Promise<number> {
  const { payments, agreements } = (await nextSubjects(db, erasure)).subjects
  return payments.length + agreements.length
}

it('whom an erasure is about is looked up by index on SQLite', async () => {
  const { db, plans, run } = await notedSqlite(FILL)
  const [link] = await run('SELECT id FROM links WHERE number = 7')
  for (const erasure of casesOf(String(link?.['id']))) expect(await countOf(db, erasure)).toBe(erasure.count)
  expect(new Set(plans)).toEqual(
    new Set([
      'SEARCH payment_payers USING INDEX payment_payers_by_email (<expr>=?)',
      'SEARCH links USING INDEX sqlite_autoindex_links_1 (id=?)',
      'SEARCH payments USING INDEX payments_by_link (link_ref=?)',
      'SEARCH payments USING INDEX payments_by_owner (owner_id=? AND <expr>>?)',
      'SEARCH agreements USING INDEX agreements_by_owner (owner_id=? AND <expr>>?)',
    ]),
  )
})

const server = await findPostgres()

it.skipIf(server === null)('on PostgreSQL nothing is read but whom an erasure is about', async () => {
  const { db, plans, run } = await notedPostgres(present(server), FILL)
  const [link] = await run('SELECT id FROM links WHERE number = 7')
  for (const erasure of casesOf(String(link?.['id']))) expect(await countOf(db, erasure)).toBe(erasure.count)
  for (const index of ['payment_payers_by_email', 'payments_by_owner', 'agreements_by_owner', 'payments_by_link'])
    expect(plans.join('\n')).toContain(index)
  expect(plans.filter((step) => step.includes('Removed by Filter') || step.includes('Seq Scan'))).toEqual([])
})
