import { randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { evolve, type Payment } from '../../../src/domain/payments/payment.ts'
import type { Store } from '../../../src/store/store.ts'
import { findPostgres } from '../../support/postgres.ts'
import { openPostgresStore } from '../../support/store.ts'
import { openSqliteStore } from '../../support/store.ts'
import { after, agreementReport, delivery, NOW, paymentOf, report } from '../contract/builders.ts'
import { sqliteFile } from '../contract/sqlite-fixture.ts'
import { scriptBefore } from './script-before.ts'

const server = await findPostgres()

const FIRST = delivery(report('pending'))
const DELIVERY_ID = randomUUID()
const { details } = report('pending')
const CHANGE = { kind: 'PAYMENT_STATUS_CHANGED', statusRaw: 'pending', status: 'pending', details } as const
const PAYMENT: Payment = evolve({ id: 'PAY1', streamId: 'payment:PAY1', linkRef: null }, CHANGE, {
  sequence: 1,
  at: NOW.toISOString(),
  provisional: false,
})
const AGREEMENT = { ...agreementReport('active'), payer: undefined, streamId: 'agreement:agr', version: 1 }

it('a database of SQLite with whole documents, names and hashes is read and written on', async () => {
  const { path, remove } = await sqliteFile()
  onTestFinished(remove)
  mkdirSync(dirname(path))
  const database = new DatabaseSync(path)
  database.exec(
    scriptOf('sqlite', 'CREATE TABLE migrations (number INTEGER PRIMARY KEY, name TEXT, applied_at INTEGER)'),
  )
  database.close()
  const store = await openSqliteStore({ path, clock: () => NOW })
  expect(await paymentOf(store)).toEqual(PAYMENT)
  await testUpgraded(store)
})

it.skipIf(server === null)('and so is one of PostgreSQL', async () => {
  const database = await server?.createDatabase()
  if (database === undefined) return
  onTestFinished(() => database.drop())
  await database.run(
    scriptOf('postgres', 'CREATE TABLE migrations (number INTEGER PRIMARY KEY, name TEXT, applied_at BIGINT)'),
  )
  const store = await openPostgresStore({ url: database.url, clock: () => NOW })
  expect(await paymentOf(store)).toEqual(PAYMENT)
  await testUpgraded(store)
})

/**
 * Returns the statements of a database as the previous version left it: a payment with its event and its delivery, and an event of an
 * agreement.
 */
function scriptOf(kind: 'sqlite' | 'postgres', table: string): string {
  const at = NOW.getTime()
  const state = JSON.stringify(PAYMENT)
  return [
    ...scriptBefore('fewer-bytes', kind, table),
    `INSERT INTO payments (id, stream_id, state_json, phase, rank, amount_known, created_at, updated_at, confirmed_at, read_due_at)
      VALUES ('PAY1', 'payment:PAY1', '${state}', 'IN_PROGRESS', 0, 1, ${at}, ${at}, ${at}, ${at})`,
    `INSERT INTO events (position, stream_id, sequence, kind, source, to_status, payment_id, payment_json, recorded_at, delivery_id)
      VALUES (1, 'payment:PAY1', 1, 'PAYMENT_STATUS_CHANGED', 'WEBHOOK', 'pending', 'PAY1', '${state}', ${at}, '${DELIVERY_ID}')`,
    `INSERT INTO events (position, stream_id, sequence, kind, source, to_status, agreement_id, agreement_json, recorded_at)
      VALUES (2, 'agreement:agr', 1, 'AGREEMENT_CREATED', 'COMMAND', 'active', 'AGR1', '${JSON.stringify(AGREEMENT)}', ${at})`,
    'UPDATE log_head SET position = 2',
    `INSERT INTO deliveries (id, body_hash, subject_id, status_raw, disposition, attempts, first_received_at, last_received_at, event_id, body)
      VALUES ('${DELIVERY_ID}', '${FIRST.bodyHashes[0]}', 'PAY1', 'pending', 'APPLIED', 1, ${at}, ${at}, 'payment:PAY1.1', '${FIRST.body}')`,
  ].join(';\n')
}

async function testUpgraded(store: Store): Promise<void> {
  onTestFinished(() => store.close())
  const { inbox, log } = store
  const old = { id: DELIVERY_ID, attempts: 1, eventId: 'payment:PAY1.1', body: FIRST.body, disposition: 'APPLIED' }
  expect(await inbox.byIds([DELIVERY_ID])).toMatchObject([old])
  const { payer: _, ...agreement } = AGREEMENT
  expect(await log.read(0, 9)).toMatchObject([
    { kind: 'PAYMENT_STATUS_CHANGED', source: 'WEBHOOK', payment: PAYMENT, agreement: null },
    { kind: 'AGREEMENT_CREATED', source: 'COMMAND', payment: null, agreement },
  ])

  expect(await inbox.receive(FIRST)).toMatchObject({ repeat: true, disposition: 'APPLIED' })
  expect(await inbox.byIds([DELIVERY_ID])).toMatchObject([{ ...old, attempts: 2 }])
  const second = delivery(report('received'), { receivedAt: after(1) })
  expect(await inbox.receive(second)).toMatchObject({ repeat: false, disposition: 'APPLIED' })
  expect(await inbox.receive(second)).toMatchObject({ repeat: true })

  const told = [{ id: 'payment:PAY1.1' }, { id: 'payment:PAY1.2', payment: { statusRaw: 'received', version: 2 } }]
  expect(await log.read(0, 9, { paymentIds: ['PAY1'] })).toMatchObject(told)
  expect(await log.read(0, 9, { kinds: ['PAYMENT_STATUS_CHANGED'] })).toMatchObject(told)
  expect(await log.read(0, 9, { kinds: ['PAYMENT_STATUS_CHANGED'], paymentIds: ['PAY1'] })).toMatchObject(told)
  expect(await log.byIds(told.map(({ id }) => id))).toMatchObject(told)
  const page = await inbox.page({ limit: 9, before: null }, { subjectIds: ['PAY1'] })
  expect(page).toMatchObject([{ eventId: 'payment:PAY1.2', body: second.body, attempts: 2 }, { id: DELIVERY_ID }])
  expect(await inbox.byIds(page.map(({ id }) => id))).toHaveLength(2)
}
