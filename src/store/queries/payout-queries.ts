import type { PayoutStore } from '../store.ts'
import type { Db } from '../unit.ts'

/** Creates the queries of payouts. */
export function payoutQueries(reader: Db): PayoutStore {
  return {
    async sites(ids) {
      if (ids.length === 0) return new Map()
      const rows = await reader.selectFrom('payouts').select(['id', 'site']).where('id', 'in', ids).execute()
      return new Map(rows.map(({ id, site }) => [id, site]))
    },
  }
}
