import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openSqliteStore } from '../../support/store.ts'
import { delivery, link, NOW, report } from '../contract/builders.ts'
import { type SqliteFile, sqliteFile } from '../contract/sqlite-fixture.ts'
import { createFirstVersion, migrationsAfterFirst } from './first-version.ts'

describe('a database of the first version', () => {
  let file: SqliteFile

  beforeEach(async () => {
    file = await sqliteFile()
    createFirstVersion(file.path)
  })

  afterEach(() => file.remove())

  it('keeps everything when it is brought up to date, and works on', async () => {
    const told: number[] = []
    const onMigration = (number: number) => told.push(number)
    const store = await openSqliteStore({ path: file.path, clock: () => NOW, onMigration })
    expect(told).toEqual(migrationsAfterFirst())
    for (const ref of ['a', 'b']) {
      expect(await store.inbox.knowsRef(ref, ['link'])).toBe(true)
      expect(await store.inbox.knowsRef(ref, ['payin', 'agreement'])).toBe(false)
    }
    expect(await store.log.read(0, 9)).toMatchObject([{ payment: { id: 'PAY1' }, agreement: null }])
    expect(await store.sweep.pending()).toBeNull()
    expect(await store.heartbeat.last()).toBeNull()
    expect(await store.inbox.backlog()).toEqual({ doubtful: 0, quarantined: 0 })

    const attempt = { ref: 'b2', owner: 'process-1', leaseUntil: NOW.getTime(), sentAt: NOW.getTime() }
    expect(await store.commands.retry('C1', attempt)).toBe(true)
    expect(await store.inbox.knowsRef('b2', ['link'])).toBe(true)
    await store.commands.settleWithLink('C1', link('b2'), NOW)
    await store.inbox.receive(delivery(report('pending', { paymentId: 'PAY2' }), { ref: 'b2' }))
    expect((await store.links.byIds(['LINK-b2']))[0]?.paymentId).toBe('PAY2')
    await store.close()
    await (await openSqliteStore({ path: file.path, onMigration })).close()
    expect(told).toEqual(migrationsAfterFirst())
  })

  it('has its payments found by the references of their links and payins', async () => {
    const database = new DatabaseSync(file.path)
    const at = NOW.getTime()
    const payment = (id: string, reference: string | null, linkRef: string | null) =>
      database
        .prepare(
          `INSERT INTO payments (id, stream_id, link_ref, state_json, phase, rank, amount_known, reference, created_at, updated_at)
            VALUES (?, 's', ?, ?, 'IN_PROGRESS', 0, 1, ?, ${at}, ${at})`,
        )
        .run(id, linkRef, JSON.stringify({ id }), reference)
    payment('OTHER', 'own', 'c')
    payment('NONE', null, 'c')
    payment('SAME', 'order-c', 'c')
    payment('STRANGER', 'order-d', null)
    database.close()
    const store = await openSqliteStore({ path: file.path, clock: () => NOW })
    const found = async (reference: string) =>
      (await store.payments.page({ limit: 9, before: null }, { reference })).map(({ row }) => row.id)
    expect(await found('order-c')).toEqual(['SAME', 'NONE', 'OTHER'])
    expect(await found('own')).toEqual(['OTHER'])
    expect(await found('order-d')).toEqual(['STRANGER'])
    await store.close()
  })
})
