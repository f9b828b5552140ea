import type { Database, PostgresServer } from '../../support/postgres.ts'
import { openPostgresStore } from '../../support/store.ts'
import type { OpenStore } from './store-contract.ts'

/** Referencing tables before the tables that they reference. */
const TABLES = [
  'paid_orders',
  'duplicate_payments',
  'payment_payers',
  'payins',
  'links',
  'payments',
  'agreement_payers',
  'agreements',
  'command_refs',
  'commands',
  'deliveries',
  'events',
  'leases',
  'pruned_streams',
  'pruned_deliveries',
  'archives',
  'log_branches',
  'read_paces',
  'erasures',
  'signing_keys',
  'payout_payees',
  'payout_records',
  'payout_events',
  'gateway_payments',
  'gateway_payment_events',
  'payment_imports',
  'payment_import_entries',
  'identity_watches',
]

/** Makes a database as empty as a new one, in a fraction of the time. */
const WIPE = `${TABLES.map((table) => `DELETE FROM ${table};`).join('\n')}
SELECT setval(pg_get_serial_sequence('deliveries', 'number'), 1, false);
UPDATE log_head SET position = 0, horizon = 0;
UPDATE meta SET log_id = replace(gen_random_uuid()::text, '-', ''), heartbeat_at = NULL, sweep_from = NULL, sweep_cursor = NULL;`

export type PostgresFixtures = { readonly open: OpenStore; drop(): Promise<void> }

/** Creates a factory of stores on empty PostgreSQL databases, which are reused by default; `drop` removes them. */
export function postgresFixtures(server: PostgresServer, { reuse = true } = {}): PostgresFixtures {
  const databases: Database[] = []
  const free: Database[] = []

  const take = async (): Promise<Database> => {
    const used = free.pop()
    if (used !== undefined) return used
    const fresh = await server.createDatabase()
    databases.push(fresh)
    return fresh
  }

  return {
    async open(clock) {
      const database = await take()
      let current = await openPostgresStore({ url: database.url, clock })
      return {
        store: current,
        async reopen() {
          await current.close()
          current = await openPostgresStore({ url: database.url, clock })
          return current
        },
        async destroy() {
          await current.close()
          if (!reuse) return
          await database.run(WIPE)
          free.push(database)
        },
      }
    },
    async drop() {
      for (const database of databases) await database.drop()
    },
  }
}
