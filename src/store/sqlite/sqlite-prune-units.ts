import type { Db } from '../decide.ts'
import { type PruneUnits, rowUnits } from '../retention/retention-store.ts'

/** Creates the units of a database without partitions. */
export function sqlitePruneUnits(reader: Db): PruneUnits {
  return { ...rowUnits(reader), prepare: async () => {}, removeUnit: async () => {} }
}
