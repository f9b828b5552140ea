import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { readMigrations } from '../../../src/store/migrate.ts'
import { NOW, present } from '../contract/builders.ts'

const FOLDER = new URL('../../../src/store/migrations/sqlite/', import.meta.url)

/** Returns the numbers of SQLite's migrations after the first one. */
export function migrationsAfterFirst(): number[] {
  return readMigrations(FOLDER)
    .slice(1)
    .map(({ number }) => number)
}

/**
 * Creates a database as version 0.1.0 left it: a payment through a link that is not stored, a link without a payment, and a command with an
 * unknown outcome.
 */
export function createFirstVersion(path: string): void {
  mkdirSync(dirname(path))
  const database = new DatabaseSync(path)
  const first = present(readMigrations(FOLDER)[0])
  const state = JSON.stringify({ id: 'PAY1', streamId: 'link:a', linkRef: 'a', statusRaw: 'pending', details: {} })
  const at = NOW.getTime()
  database.exec(`
    CREATE TABLE migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT;
    ${first.steps.map(({ sql }) => sql).join('')}
    INSERT INTO migrations VALUES (1, '${first.name}', ${at});
    INSERT INTO commands VALUES ('C1', 'createPaymentLink', 'key-b', 'f', 'UNKNOWN', 1, 'b', 'process-0', ${at}, ${at}, NULL);
    INSERT INTO command_refs VALUES ('a', 'C0', 1, ${at}), ('b', 'C1', 1, ${at});
    INSERT INTO payments (id, stream_id, link_ref, state_json, phase, rank, amount_known, created_at, updated_at)
      VALUES ('PAY1', 'link:a', 'a', '${state}', 'IN_PROGRESS', 0, 0, ${at - 2}, ${at});
    INSERT INTO events VALUES
      (1, 'link:a', 1, 'PAYMENT_STATUS_CHANGED', 'WEBHOOK', NULL, 'pending', 'a', 'PAY1', NULL, '${state}', ${at}, NULL);
    UPDATE log_head SET position = 1;
    INSERT INTO links (id, ref, stream_id, site, reference, checkout_url, requested_value, requested_currency,
      description, created_at, expires_at, expired)
      VALUES ('LINK-c', 'c', 'link:c', 'au', 'order-c', 'https://checkout.example/c', '1', 'AUD', 'd', ${at - 3}, ${at}, 0);
  `)
  database.close()
}
