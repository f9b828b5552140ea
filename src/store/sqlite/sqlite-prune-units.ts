import { type PruneUnits, rowUnits } from '../retention/prune-units.ts'
import type { Db } from '../unit.ts'

/** Creates the units of a database without partitions. */
export function sqlitePruneUnits(reader: Db): PruneUnits {
  return { ...rowUnits(reader), prepare: async () => {}, removeUnit: async () => {} }
}
