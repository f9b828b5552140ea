import type { PayoutStore } from '../store.ts'
import type { Db } from '../unit.ts'
import { findUnsettled, markSettled } from './settle-command.ts'

export function createPayoutStore(reader: Db): PayoutStore {
  return {
    async sites(ids) {
      if (ids.length === 0) return new Map()
      const rows = await reader.selectFrom('payouts').select(['id', 'site']).where('id', 'in', ids).execute()
      return new Map(rows.map(({ id, site }) => [id, site]))
    },
  }
}

/** Ends a command with the payout it made, and records its site; a second time changes nothing. Throws as `findUnsettled` does. */
export async function settleWithPayout(db: Db, commandId: string, payout: { id: string; site: string }): Promise<void> {
  const result = { payoutId: payout.id }
  if ((await findUnsettled(db, commandId, result)) === null) return
  await db
    .insertInto('payouts')
    .values(payout)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
  await markSettled(db, commandId, result)
}
