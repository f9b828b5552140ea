import type { Context } from './context.ts'
import { failedRead } from './errors.ts'
import { payoutView, type PayoutView } from './payout-view.ts'

/** One payout, read from the service; null when no site has it. Throws a typed error when the service does not answer. */
export async function loadPayout(id: string, { operations }: Context): Promise<PayoutView | null> {
  const found = await operations.payout(id)
  if (found.kind === 'not-found') return null
  if (found.kind !== 'done') throw failedRead(found)
  return payoutView(found.payout, found.site.currencies)
}
