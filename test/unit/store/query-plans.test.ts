import { describe, expect, it } from 'vitest'
import { delivery, NOW, present, report, settledLink } from '../../contract/store/builders.ts'
import { openWatchedStore } from './watched-store.ts'
import type { WatchedDatabase } from './watched-database.ts'

/** The statements among those prepared so far whose plan reads a whole table. */
function fullScans(database: WatchedDatabase): string[] {
  const statements = new Set(database.prepared.filter((sql) => /^(select|insert|update|delete) /.test(sql)))
  expect(statements.size).toBeGreaterThan(0)
  return [...statements].filter((sql) =>
    database
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .some(
        ({ detail }) => /^SCAN (?!CONSTANT)/.test(String(detail)) && !/USING (COVERING )?INDEX/.test(String(detail)),
      ),
  )
}

describe('query plans on SQLite', () => {
  it('scan no table for a webhook, a read, a snapshot, or a page of the log by stream', async () => {
    const { store, writer, reader, destroy } = await openWatchedStore()
    await settledLink(store, 'a')
    for (const status of ['pending', 'received', 'pending'])
      await store.inbox.receive(delivery(report(status), { ref: 'a', receivedAt: NOW }))
    await store.inbox.receive(delivery(report('pending', { paymentId: 'P2', linkId: 'LINK-a' })))
    await store.inbox.receive(delivery(report('pending', { paymentId: 'P2', linkId: 'LINK-a' })))
    await store.inbox.knowsRef('a')
    await store.reads.due(NOW, 10)
    await store.reads.nextDue()
    await store.reads.record(present(await store.reads.subject('P2')), report('received', { paymentId: 'P2' }), NOW)
    await store.links.snapshot('LINK-a')
    await store.payments.snapshot('P2')
    await store.log.read(0, 10, { streamIds: ['link:a'] })
    await store.log.byIds(['link:a.1', 'link:a.2'])
    await store.commands.expireLeases(0)

    expect(fullScans(writer)).toEqual([])
    expect(fullScans(reader)).toEqual([])
    await destroy()
  })
})
