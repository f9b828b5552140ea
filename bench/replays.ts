/**
 * Replays the whole log to one stream, and prints how many items a second it has, without a socket, and how many reads of the store that
 * takes: `npm run bench -- replays [payments]`. Each payment has four events; the log is on SQLite in a folder for temporary files.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Caller } from '../src/access/caller.ts'
import type { Store } from '../src/ledger/store.ts'
import { createSliceScheduler } from '../src/lib/slice-scheduler.ts'
import { createLogger } from '../src/observability/logger.ts'
import { startTail } from '../src/streams/tail.ts'
import { engineOf, nextText, streamServices } from '../test/store/graphql/streams.ts'
import { openSqliteStore } from '../test/support/store.ts'
import { receivePaymentWebhooks } from './support/payment-webhooks.ts'

const PAYMENTS = Number(process.argv[3] ?? 2_500)
const READER: Caller = {
  kind: 'client',
  subject: null,
  identity: null,
  name: null,
  scopes: new Set(['payments:read']),
  expiresAt: Infinity,
}
const SELECTIONS = {
  'the event': 'event { id kind toStatus }',
  'what it changed': 'event { id kind before { status } after { status paid { value } } }',
  'its payment as it is now': 'event { id kind } payment { id status version paid { value } }',
}

const folder = mkdtempSync(join(tmpdir(), 'payments-bench-'))
const opened = await openSqliteStore({ path: join(folder, 'payments.db') })
await receivePaymentWebhooks(opened, PAYMENTS)
for (const [name, selection] of Object.entries(SELECTIONS)) {
  let reads = 0
  const counted = <Part extends object>(part: Part): Part =>
    new Proxy(part, {
      get(target, method, receiver) {
        if (['read', 'horizon', 'byIds', 'previousOfPayments'].includes(String(method))) reads += 1
        return Reflect.get(target, method, receiver) as unknown
      },
    })
  const logger = createLogger({ level: 'silent' })
  const tail = await startTail({ log: opened.log, logger, scheduler: createSliceScheduler(), pollMs: 1_000 })
  const store: Store = { ...opened, log: counted(opened.log), payments: counted(opened.payments) }
  const services = streamServices(store, tail)
  const query = `subscription ($after: String) { paymentEventStream(after: $after) { kind cursor ${selection} } }`
  const stream = await engineOf(services).run(
    { query, variables: { after: services.cursors.encode('log', 0) } },
    { caller: READER, fromRouter: true },
  )
  if (stream.kind !== 'stream') throw new Error(JSON.stringify(stream))
  const began = performance.now()
  let items = 0
  while (!(await nextText(stream))?.includes('"CAUGHT_UP"')) items += 1
  const seconds = (performance.now() - began) / 1000
  stream.stop()
  tail.close()
  console.log(
    `${name.padEnd(26)} ${Math.round(items / seconds)} items/s, ${reads} reads of the store for ${items} items`,
  )
}
await opened.close()
rmSync(folder, { recursive: true })
