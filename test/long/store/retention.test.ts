import { afterAll, describe } from 'vitest'
import { postgresFixtures } from '../../store/contract/postgres-fixture.ts'
import { describeRetention } from '../../store/contract/retention-contract.ts'
import { openSqliteFixture } from '../../store/contract/sqlite-fixture.ts'
import { findPostgres } from '../../support/postgres.ts'

const server = await findPostgres()

describeRetention('SQLite', (clock) => openSqliteFixture({ clock }))

describe.skipIf(server === null)('with a server', () => {
  if (server === null) return
  // A database of which a partition was dropped is not as empty as a new one.
  const fixtures = postgresFixtures(server, { reuse: false })
  afterAll(() => fixtures.drop())
  describeRetention('PostgreSQL', fixtures.open)
})
