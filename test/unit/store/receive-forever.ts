import { delivery, report } from '../../contract/store/builders.ts'
import { openPostgresStore } from '../../support/store.ts'
import { openSqliteStore } from '../../support/store.ts'

/**
 * Receives webhooks until it is killed, 16 at a time, and writes a line to standard output for each one once it has been
 * acknowledged. Arguments: the path or the address of the database, and a word that tells this run's payments from others.
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
