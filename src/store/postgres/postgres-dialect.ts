import { Kysely, PostgresDialect, type PostgresCursor, type PostgresQueryResult } from 'kysely'
import type { Tables } from '../tables.ts'
import type { PostgresConnection } from './postgres-connection.ts'

/** A connection for one query, or for the queries of one transaction. */
export type PooledConnection = { readonly connection: Pick<PostgresConnection, 'run'>; readonly release: () => void }

/** Creates queries on leased connections; they reject with `StoreFailure`. */
export function queriesOn(lease: () => Promise<PooledConnection>): Kysely<Tables> {
  const pool = {
    options: {},
    connect: async () => {
      const { connection, release } = await lease()
      return { query: queryOn(connection), release }
    },
    end: async () => {},
  }
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
}

/** The query method of a client, as the dialect expects it. Cursors are not used. */
type Query = {
  <Row>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<Row>>
  <Row>(cursor: PostgresCursor<Row>): PostgresCursor<Row>
}

function queryOn(connection: Pick<PostgresConnection, 'run'>): Query {
  return ((sql: string, parameters: readonly unknown[]) => connection.run(sql, parameters)) as unknown as Query
}
