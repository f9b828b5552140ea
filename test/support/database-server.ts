import { createOwnServer, findPrograms } from './postgres-server.ts'
import { ADDRESS, MIGRATED } from './postgres.ts'
import { openPostgresStore } from './store.ts'

/**
 * Starts a PostgreSQL server for the run, where its programs are installed and no server is configured: among the temporary files, which
 * are in memory, a commit takes a tenth of its time on a disk. Makes the database there that others are copied from. Returns what removes
 * it all.
 */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env[ADDRESS] !== undefined || findPrograms() === null) return undefined
  const own = await createOwnServer()
  process.env[ADDRESS] = own.address
  const { url } = await own.createDatabase()
  await (await openPostgresStore({ url })).close()
  process.env[MIGRATED] = new URL(url).pathname.slice(1)
  return async () => {
    // In good order: a server that is killed leaves its shared memory behind.
    await own.stop()
    await own.remove()
  }
}
