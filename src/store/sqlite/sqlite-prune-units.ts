import { type PruneUnits, startOfMonth } from '../retention/prune-units.ts'
import type { Db } from '../unit.ts'

/** Creates the units of a database without partitions: the rows at the beginning of the table up to the end of the month of the first. */
export function sqlitePruneUnits(reader: Db): PruneUnits {
  return {
    prepare: async () => {},
    async due(kind, before) {
      const first = await (kind === 'events'
        ? reader.selectFrom('events').select('recorded_at as at').orderBy('position').limit(1).executeTakeFirst()
        : reader
            .selectFrom('deliveries')
            .select('first_received_at as at')
            .orderBy('number')
            .limit(1)
            .executeTakeFirst())
      if (first === undefined) return null
      const until = startOfMonth(first.at, 1)
      return until <= before.getTime() ? { kind, until, table: kind } : null
    },
    async remove(db, { kind }, upTo) {
      if (kind === 'events') await db.deleteFrom('events').where('position', '<=', upTo).execute()
      else await db.deleteFrom('deliveries').where('number', '<=', upTo).execute()
    },
    removeUnit: async () => {},
  }
}
