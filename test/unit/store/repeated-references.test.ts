import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { delivery, report } from '../../contract/store/builders.ts'
import { type SqliteFile, sqliteFile } from '../../contract/store/sqlite-fixture.ts'
import { openSqliteStore } from '../../support/store.ts'

let file: SqliteFile

beforeEach(async () => {
  file = await sqliteFile()
})

afterEach(() => file.remove())

it('keeps only the first payment with a reference out of the indexes of lists, so that the rest is read in their order', async () => {
  const store = await openSqliteStore({ path: file.path })
  const said = (paymentId: string, status: string, reference: string | null) =>
    store.inbox.receive(delivery(report(status, { paymentId, details: { reference } })))
  const ids = Array.from({ length: 30 }, (_, n) => `P${n}`)
  await Promise.all(ids.map((id, n) => said(id, 'pending', n % 3 === 0 ? `order-${n}` : null)))
  await Promise.all(ids.map((id) => said(id, 'received', id === 'P0' ? 'order-0' : 'Donation')))
  await Promise.all(Array.from({ length: 20 }, (_, n) => said(`Q${n}`, 'pending', 'DONATION')))
  await store.close()

  const database = new DatabaseSync(file.path, { readOnly: true })
  const rows = database
    .prepare(
      'SELECT reference, reference_repeats AS repeats, count(*) AS count FROM payments GROUP BY 1, 2 ORDER BY 1, 2',
    )
    .all()
  database.close()
  expect(rows).toMatchObject([
    { reference: 'DONATION', repeats: 1, count: 20 },
    { reference: 'Donation', repeats: 1, count: 29 },
    { reference: 'order-0', repeats: 0, count: 1 },
  ])
})
