import type { AppendListeners } from './append-listeners.ts'
import { createAgreementReadStore } from './records/agreement-reads.ts'
import { createAgreementStore } from './records/agreements.ts'
import { createCommandStore } from './records/commands.ts'
import { createHeartbeat } from './records/heartbeat.ts'
import { createInbox } from './records/inbox.ts'
import { createLeaseStore } from './records/leases.ts'
import { createLinkStore } from './records/links.ts'
import { createEventLog } from './records/log.ts'
import { createPaymentStore } from './records/payments.ts'
import { createPayoutStore } from './records/payouts.ts'
import { createReadStore } from './records/reads.ts'
import { createSweep } from './records/sweep.ts'
import type { Store } from './store.ts'
import type { Db, Write } from './unit.ts'

export type StoreParts = {
  /** Reads what is committed: few rows by their keys, or those that lie next to each other. */
  readonly reader: Db
  /** The same for lists and figures, which may take milliseconds. */
  readonly lists: Db
  readonly write: Write
  readonly listeners: AppendListeners
  readonly now: () => Date
  /** Rejects when the database can no longer be relied on, beyond what a query would show. */
  readonly assertHealthy: () => void
  /** See `Store.onFatal`. */
  readonly onFatal: Store['onFatal']
  readonly close: () => Promise<void>
}

/** Puts the store together from a database's way to read and its way to write: the queries are the same for each. */
export async function createStore(parts: StoreParts): Promise<Store> {
  const { reader, lists, write, listeners, now, assertHealthy, onFatal, close } = parts
  const { log_id: logId } = await reader
    .selectFrom('meta')
    .select('log_id')
    .where('id', '=', 1)
    .executeTakeFirstOrThrow()
  const log = createEventLog(reader, lists, listeners)
  return {
    log,
    inbox: createInbox(reader, lists, write),
    links: createLinkStore(reader, lists, now),
    payments: createPaymentStore(reader, lists),
    commands: createCommandStore(reader, write),
    agreements: createAgreementStore(reader, lists),
    payouts: createPayoutStore(reader),
    reads: createReadStore(reader, lists, write),
    agreementReads: createAgreementReadStore(reader, write),
    heartbeat: createHeartbeat(reader, write),
    sweep: createSweep(reader, write),
    leases: createLeaseStore(write),
    logId,
    async ping() {
      assertHealthy()
      await log.head()
    },
    onFatal,
    close,
  }
}
