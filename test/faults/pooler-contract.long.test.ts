import { afterAll, beforeAll, describe } from 'vitest'
import { type PostgresFixtures, postgresFixtures } from '../store/contract/postgres-fixture.ts'
import { describeStore, type OpenStore } from '../store/contract/store-contract.ts'
import { hasPgBouncer, type PgBouncer, startPgBouncer } from '../support/pgbouncer.ts'
import { findPostgres } from '../support/postgres.ts'

const server = await findPostgres()

// promise(kept): Behind a pooler in transaction mode the store keeps its whole contract, and leaves nothing in the
// sessions.
describe.skipIf(server === null || !hasPgBouncer())('behind a pooler in transaction mode', () => {
  let pooler: PgBouncer
  let fixtures: PostgresFixtures

  beforeAll(async () => {
    if (server === null) return
    pooler = await startPgBouncer(server, { poolSize: 2 })
    fixtures = postgresFixtures(pooler)
  })
  afterAll(async () => {
    await fixtures?.drop()
    await pooler?.remove()
  })

  const open: OpenStore = (clock) => fixtures.open(clock)
  describeStore('PostgreSQL', open, { histories: 2 })
})
