import { afterAll, describe } from 'vitest'
import { findPostgres } from '../../support/postgres.ts'
import { postgresFixtures } from './postgres-fixture.ts'
import { describeStore } from './store-contract.ts'

const server = await findPostgres()

describe.skipIf(server === null)('with a server', () => {
  if (server === null) return
  const fixtures = postgresFixtures(server)
  afterAll(() => fixtures.drop())
  describeStore('PostgreSQL', fixtures.open, { histories: 5 })
})
