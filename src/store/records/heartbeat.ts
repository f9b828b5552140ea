import type { Heartbeat } from '../store.ts'
import type { Db, Write } from '../unit.ts'

/** The last sign of life of a process that held the database. */
export function createHeartbeat(reader: Db, write: Write): Heartbeat {
  return {
    async last() {
      const { heartbeat_at: at } = await reader
        .selectFrom('meta')
        .select('heartbeat_at')
        .where('id', '=', 1)
        .executeTakeFirstOrThrow()
      return at === null ? null : new Date(at)
    },
    beat: (now) =>
      write(async ({ db }) => {
        await db.updateTable('meta').set({ heartbeat_at: now.getTime() }).where('id', '=', 1).execute()
      }),
  }
}
