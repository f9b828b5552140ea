import { describe, expect, it } from 'vitest'
import { dueReads, nextDue, pollAt } from '../../support/due-reads.ts'
import {
  after,
  agreementReport,
  callback,
  command,
  delivery,
  NOW,
  payin,
  present,
  report,
  settledAgreement,
  settledLink,
  writtenNote,
} from '../contract/builders.ts'
import type { WatchedDatabase } from './watched-database.ts'
import { openWatchedStore } from './watched-store.ts'

/** Returns the prepared statements whose plan reads a whole table. Scans of the named subqueries are allowed, because those are limited. */
function fullScans(database: WatchedDatabase): string[] {
  const statements = new Set(database.prepared.filter((sql) => /^(select|insert|update|delete) /i.test(sql)))
  expect(statements.size).toBeGreaterThan(0)
  return [...statements].filter((sql) =>
    database
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .some(
        ({ detail }) =>
          /^SCAN (?!CONSTANT|(?:due|subject|counted|looked|stream_sequences|migrations|meta)$|json_each )/.test(
            String(detail),
          ) && !/USING (COVERING )?INDEX/.test(String(detail)),
      ),
  )
}

describe('query plans on SQLite', () => {
  it('scan no table for a webhook, a read, a snapshot, a command, or a page of the log by stream', async () => {
    const { store, writer, reader, destroy } = await openWatchedStore()
    await settledLink(store, 'a')
    for (const status of ['pending', 'received', 'pending'])
      await store.inbox.receive(delivery(report(status), { ref: 'a', receivedAt: NOW }))
    await store.inbox.receive(delivery(report('pending', { paymentId: 'P2', linkId: 'LINK-a' })))
    await store.inbox.receive(delivery(report('pending', { paymentId: 'P2', linkId: 'LINK-a' })))
    await store.inbox.knowsRef('a', ['link'])
    await dueReads(store.reads, NOW, 10)
    await nextDue(store)
    await store.reads.backlog(NOW)
    await store.inbox.backlog()
    const lease = await store.leases.take('reader', 'somebody', { now: NOW, until: after(1) })
    await store.leases.release(present(lease))
    await store.reads.record(
      present(await store.reads.subject('P2')),
      report('received', { paymentId: 'P2' }),
      NOW,
      null,
    )
    await store.links.snapshot('LINK-a')
    await store.payments.snapshot('P2')
    await store.log.read(0, 10, { streamIds: ['link:a'] })
    await store.log.byIds(['link:a.1', 'link:a.2'])
    await store.commands.expireLeases(0)
    await store.commands.purge(NOW)
    await pollAt(store.reads, 'P2', NOW)
    await store.sweep.begin(NOW, NOW, null)
    while (!(await store.sweep.step(NOW, null)).done);

    const { command: direct } = await store.commands.begin(command('p', { refKind: 'payin' }))
    const ofPayin = { paymentId: 'P3' }
    await store.inbox.receive(delivery(report('pending', ofPayin), { ref: 'p' }))
    await store.commands.settleWithPayin(direct.id, {
      payin: payin('p', ofPayin),
      report: report('pending', ofPayin),
      at: NOW,
    })
    await store.inbox.receive(delivery(report('received', ofPayin), { ref: 'p' }))
    const { command: refund } = await store.commands.begin(command('r', { refKind: null }))
    await store.commands.settleWithPayment(refund.id, {
      paymentId: 'P3',
      report: report('return_pending', ofPayin),
      at: after(1),
    })
    await dueReads(store.reads, NOW, 10)
    const { note } = await writtenNote(store, { key: 'n', paymentId: 'P3' })
    await store.payments.notes(['P3'])
    await store.notes.delete(note.id, note.authorScope)
    await store.commands.ofSubjects(['P3'])
    await store.payments.ofLinks(['a'])

    await settledAgreement(store)
    for (const status of ['active', 'suspended', 'active'])
      await store.inbox.receiveAgreement(callback(agreementReport(status)))
    await store.commands.traceAgreement('agr')
    const { command: change } = await store.commands.begin(command('c', { refKind: null }))
    await store.commands.settleWithAgreementChange(change.id, {
      agreementId: 'AGR1',
      report: agreementReport('suspended'),
      at: after(1),
    })
    await nextDue(store, 'agreement')
    const subject = present(await store.agreementReads.subject('client-1'))
    await store.agreementReads.record(subject, agreementReport('active'), NOW, null)
    await store.agreements.snapshot('AGR1')
    await store.log.read(0, 10, { agreementIds: ['AGR1'] })

    expect(fullScans(writer)).toEqual([])
    expect(fullScans(reader)).toEqual([])
    await destroy()
  })
})
