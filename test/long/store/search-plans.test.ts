import { expect, it } from 'vitest'
import { SEARCH_FIELDS } from '../../../src/store/port.ts'
import { searchPayments } from '../../../src/store/queries/payment-search.ts'
import { present } from '../../store/contract/builders.ts'
import { findPostgres } from '../../support/postgres.ts'
import { notedPostgres, notedSqlite } from './noted-plans.ts'

const PAYERS = `INSERT INTO payment_payers (payment_id, name, email)
  SELECT id, 'Ada Payer ' || number, 'ada-' || number || '@example.test' FROM payments`

/** Texts that few and many rows begin with; the accented one has several spellings. */
const TEXTS = ['order-12', 'PAY-', 'link-1', 'ada', 'payer 7', 'É']
const LIMIT = 10
const asked = (text: string) => ({ text, fields: SEARCH_FIELDS, limit: LIMIT })

const BY_TEXT =
  /^SEARCH (payments|links|payment_payers) USING (COVERING )?INDEX (\1_by_\w+|sqlite_autoindex_\1_1) \((<expr>|id)>\? AND (<expr>|id)<\?\)$/
const BY_ID = /^SEARCH (payments|links) USING INDEX sqlite_autoindex_\1_1 \(id=\?\)$/
const FRAME = /^(COMPOUND QUERY|LEFT-MOST SUBQUERY|UNION ALL|(CO-ROUTINE|SCAN) found)$/

it('a text is looked up by index on SQLite', async () => {
  const { db, plans } = await notedSqlite([PAYERS])
  for (const text of TEXTS) {
    const { matches } = await searchPayments(db, 'instr', asked(text))
    expect({ text, isFound: matches.length > 0 }).toEqual({ text, isFound: text !== 'É' })
  }
  expect(plans.filter((step) => ![BY_TEXT, BY_ID, FRAME].some((pattern) => pattern.test(step)))).toEqual([])
})

const server = await findPostgres()

it.skipIf(server === null)('on PostgreSQL little more is read than what is found', async () => {
  const { db, plans } = await notedPostgres(present(server), [PAYERS])
  for (const text of TEXTS) await searchPayments(db, 'strpos', asked(text))
  const names = ['reference', 'other_reference'].map((name) => `payments_by_${name}`)
  const ofPayers = ['name', 'second_word', 'third_word', 'last_word', 'email'].map(
    (name) => `payment_payers_by_${name}`,
  )
  for (const index of [...names, ...ofPayers, 'links_by_reference', 'payments_id_key', 'links_id_key'])
    expect(plans.join('\n')).toContain(index)
  expect(plans.filter((step) => /Seq Scan|Sort/.test(step))).toEqual([])
  // Payments of which the amount is not known, at most 5 in 100.
  const removed = plans.flatMap((step) => /Removed by Filter: (\d+)/.exec(step)?.[1] ?? [])
  expect(Math.max(0, ...removed.map(Number))).toBeLessThanOrEqual(LIMIT)
})
