import { openPostgresStore } from '../../support/store.ts'
import { openSqliteStore } from '../../support/store.ts'
import { delivery, report } from '../contract/builders.ts'

/**
 * Receives webhooks until it is killed, 16 at a time, and writes a line to standard output for each one after it has been acknowledged.
 * Arguments: the path or the URL of the database, and a prefix for the payment ids of this run.
 */
const [path = '', run = 'run'] = process.argv.slice(2)
const store = path.startsWith('postgres:') ? await openPostgresStore({ url: path }) : await openSqliteStore({ path })
let next = 0

async function sender(): Promise<never> {
  for (;;) {
    const paymentId = `${run}-${next++}`
    await store.inbox.receive(delivery(report('pending', { paymentId })))
    process.stdout.write(`${paymentId}\n`)
  }
}

await Promise.all(Array.from({ length: 16 }, sender))
