import { inspect } from 'node:util'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Store } from '../../../src/ledger/store.ts'
import { StoreConflictError } from '../../../src/store/store-errors.ts'
import { type Database, findPostgres } from '../../support/postgres.ts'
import { openPostgresStore } from '../../support/store.ts'
import { command, commandKey, delivery, paymentOf, report } from '../contract/builders.ts'

const server = await findPostgres()

describe.skipIf(server === null)('failures of the PostgreSQL store', () => {
  let database: Database
  let store: Store

  beforeAll(async () => {
    if (server !== null) database = await server.createDatabase({ migrated: true })
  })
  beforeEach(async () => void (store = await openPostgresStore({ url: database.url })))
  afterEach(() => store.close())
  afterAll(() => database?.drop())

  const receive = (paymentId: string) => store.inbox.receive(delivery(report('pending', { paymentId })))

  /** Makes the server fail with a code when an event of a payment is written, `times` times. */
  async function failWith(code: string, { paymentId, times }: { paymentId: string; times: number }): Promise<void> {
    await database.run(`
      CREATE SEQUENCE IF NOT EXISTS failures; SELECT setval('failures', 1, false);
      CREATE OR REPLACE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF NEW.stream_id = 'payment:${paymentId}' AND nextval('failures') <= ${times} THEN
          RAISE EXCEPTION 'on purpose' USING ERRCODE = '${code}', DETAIL = 'kanarie7';
        END IF;
        RETURN NEW;
      END $$;
      CREATE OR REPLACE TRIGGER fail BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION fail();`)
  }

  it.each([
    ['53100', 'FULL'],
    ['53300', 'BUSY'],
    ['57014', 'BUSY'],
    ['25006', 'READ_ONLY'],
    ['58030', 'IO'],
    ['XX001', 'CORRUPT'],
    ['23505', 'OTHER'],
  ])('%s is told as %s, fails one job alone, and quotes nothing', async (code, reason) => {
    // The job fails once in the batch, and once alone.
    await failWith(code, { paymentId: `failing-${code}`, times: 2 })
    const failing = receive(`failing-${code}`).catch((error: unknown) => error)
    const others = await Promise.all([1, 2, 3].map((n) => receive(`beside-${code}-${n}`)))
    expect(others).toHaveLength(3)
    const failure = await failing
    expect(failure).toMatchObject({ name: 'StoreFailure', reason, cause: { code } })
    expect(inspect(failure, { depth: 9, showHidden: true })).not.toMatch(/kanarie7|on purpose/)
    expect(await store.payments.byIds([`failing-${code}`])).toEqual([])
    expect(await receive(`failing-${code}`)).toMatchObject({ repeat: false })
  })

  it.each(['40001', '40P01'])('%s is tried again, three times at most', async (code) => {
    await failWith(code, { paymentId: `twice-${code}`, times: 2 })
    expect(await receive(`twice-${code}`)).toMatchObject({ repeat: false })
    await failWith(code, { paymentId: `thrice-${code}`, times: 3 })
    await expect(receive(`thrice-${code}`)).rejects.toMatchObject({ reason: 'BUSY' })
  })

  it('undoes a job that clashes with what is on record, and harms no other of its batch', async () => {
    const taken = command('taken')
    await store.commands.begin(taken)
    const failing = store.commands.begin(command('fresh', { id: taken.id }))
    const clashing = store.commands.begin(command('other', { ref: 'taken' }))
    const others = [1, 2, 3].map((n) => receive(`batch-${n}`))
    await expect(failing).rejects.toThrow(StoreConflictError)
    await expect(clashing).rejects.toThrow(StoreConflictError)
    expect(await Promise.all(others)).toHaveLength(3)
    expect(await store.commands.find(commandKey(taken.mutation, 'key-other'))).toBeNull()
  })

  it('gives up on a lock that somebody else holds, for writers and for readers', async () => {
    const holder = new Client({ connectionString: database.url })
    await holder.connect()
    await holder.query('BEGIN; LOCK TABLE payments IN ACCESS EXCLUSIVE MODE')
    const readers = Array.from({ length: 20 }, () => store.payments.byIds(['x']))
    const asked = await Promise.allSettled([receive('locked'), ...readers])
    for (const answer of asked) expect(answer).toMatchObject({ status: 'rejected', reason: { name: 'StoreFailure' } })
    expect(asked[0]).toMatchObject({ reason: { reason: 'BUSY' } })
    await holder.end()
    expect(await receive('locked')).toMatchObject({ repeat: false })
    expect(await store.payments.byIds(['locked'])).toHaveLength(1)
  })

  it('prepares its statements anew when a table was changed under its statements', async () => {
    await receive('prepared')
    await store.links.byIds(['prepared'])
    await database.run(`ALTER TABLE links ADD COLUMN added TEXT; ALTER TABLE deliveries ADD COLUMN added TEXT;
      ALTER TABLE commands ADD COLUMN added TEXT`)
    expect(await store.commands.begin(command('changed'))).toMatchObject({ fresh: true })
    expect(await receive('changed')).toMatchObject({ repeat: false })
    expect(await store.links.byIds(['prepared'])).toEqual([])
  })

  it('keeps texts that PostgreSQL cannot hold, under the id that they came with', async () => {
    for (const paymentId of ['nul\0', 'lone \uD800', '𝒫'])
      expect((await receive(paymentId)) && (await paymentOf(store, paymentId)).id).toBe(paymentId)
  })
})
