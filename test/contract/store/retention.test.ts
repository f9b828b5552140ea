import { afterAll, describe } from 'vitest'
import { findPostgres } from '../../support/postgres.ts'
import { postgresFixtures } from './postgres-fixture.ts'
import { describeRetention } from './retention-contract.ts'
import { openSqliteFixture } from './sqlite-fixture.ts'

const server = await findPostgres()

describeRetention('SQLite', (clock) => openSqliteFixture({ clock }))

describe.skipIf(server === null)('with a server', () => {
  if (server === null) return
  // A database of which a partition was dropped is not as empty as a new one.
  const fixtures = postgresFixtures(server, { reuse: false })
  afterAll(() => fixtures.drop())
  describeRetention('PostgreSQL', fixtures.open)
})
