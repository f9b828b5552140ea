import { REFUND_REQUESTS, type RefundRequestRow } from '../rows/command-rows.ts'
import type { Db } from '../unit.ts'

/** Returns the refund requests of commands, by command id. */
export async function refundRequestsOf(db: Db, ids: readonly string[]): Promise<Map<string, RefundRequestRow>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('refund_requests').selectAll().where('command_id', 'in', ids).execute()
  return new Map(rows.map(REFUND_REQUESTS.fromRow).map((request) => [request.commandId, request]))
}
