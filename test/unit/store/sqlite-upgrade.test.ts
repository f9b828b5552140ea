import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openSqliteStore } from '../../../src/store/sqlite.ts'
import { delivery, link, NOW, report } from '../../contract/store/builders.ts'
import { type SqliteFile, sqliteFile } from '../../contract/store/sqlite-fixture.ts'
import { createFirstVersion } from './first-version.ts'

describe('a database of the first version', () => {
  let file: SqliteFile

  beforeEach(async () => {
    file = await sqliteFile()
    createFirstVersion(file.path)
  })

  afterEach(() => file.remove())

  it('keeps everything when it is brought up to date, and works on', async () => {
    const store = await openSqliteStore({ path: file.path, clock: () => NOW })
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
  })
})
