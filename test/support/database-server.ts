import { createOwnServer, findPrograms } from './postgres-server.ts'

/** Environment variable with the URL of the administrator of the server that `findPostgres` returns; it is set while tests run. */
const ADDRESS = 'TEST_POSTGRES_URL'

/**
 * Starts a PostgreSQL server for the run, where its programs are installed and no server is configured: among the temporary files, which
 * are in memory, a commit takes a tenth of its time on a disk. Returns what removes it.
 */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env[ADDRESS] !== undefined || findPrograms() === null) return undefined
  const own = await createOwnServer()
  process.env[ADDRESS] = own.address
  return async () => {
    // In good order: a server that is killed leaves its shared memory behind.
    await own.stop()
    await own.remove()
  }
}
