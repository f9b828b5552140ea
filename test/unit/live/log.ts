import { setImmediate } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { startTail, type Tail, type TailOptions } from '../../../src/live/tail.ts'
import { createLogger } from '../../../src/log.ts'
import type { Store } from '../../../src/store/store.ts'
import { delivery, report } from '../../contract/store/builders.ts'
import { openSqliteFixture } from '../../contract/store/sqlite-fixture.ts'

/** Longer than any test: whoever needs the poll waits in vain. */
const NEVER_MS = 600_000

let statuses = 0

/** Appends one event to the stream of a payment: every status that is not known changes it once more. */
export async function append(store: Store, paymentId = 'P0', statusRaw = `status_${++statuses}`): Promise<void> {
  await store.inbox.receive(delivery(report(statusRaw, { paymentId })))
}

/** A real store that ends with the test. */
export async function openStore(): Promise<Store> {
  const { store, destroy } = await openSqliteFixture()
  onTestFinished(destroy)
  return store
}

/** A tail of the log that polls only when it is told to, and ends with the test. */
export async function tailOf(store: Store, options: Partial<TailOptions> = {}): Promise<Tail> {
  const tail = await startTail({
    log: store.log,
    logger: createLogger({ level: 'silent' }),
    pollMs: NEVER_MS,
    ...options,
  })
  onTestFinished(() => tail.close())
  return tail
}

/** Lets everything else have its turn. */
export async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await setImmediate()
}
