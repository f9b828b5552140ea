import { Client } from 'pg'

/** A session of its own at a PostgreSQL server, which can hold a transaction open. */
export type OpenSession = { run(sql: string): Promise<void>; end(): Promise<void> }

export async function openSession(url: string): Promise<OpenSession> {
  const client = new Client({ connectionString: url })
  await client.connect()
  return { run: async (sql) => void (await client.query(sql)), end: () => client.end() }
}
