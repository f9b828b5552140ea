import { startCountingProxy } from '../../../test/support/counting-proxy.ts'
import type { Sender } from './load.ts'
import { startProduct } from './processes.ts'
import { faultsOf } from './rounds.ts'
import type { Target } from './targets.ts'

type CountOptions = { readonly program: string; readonly seconds: number; readonly cleanUp: AsyncDisposableStack }

/**
 * Returns the number of round trips between the product and PostgreSQL per webhook, at its maximum rate. No other process may have the
 * target's database open. Throws if a webhook was not stored.
 */
export async function roundTripsPerWebhook(
  sender: Sender,
  target: Target,
  { program, seconds, cleanUp }: CountOptions,
): Promise<number> {
  const proxy = await startCountingProxy(target.database?.url ?? '')
  cleanUp.defer(() => proxy.close())
  const product = await startProduct(program, proxy.url, cleanUp)
  const before = proxy.roundTrips
  const load = { seconds, perSecond: null, expectedPerSecond: EXPECTED_PER_SECOND, again: false }
  const { totals } = await sender.measure({ urls: [product.url], pids: [product.pid] }, load)
  const roundTrips = proxy.roundTrips - before
  await product.stop()
  const faults = await faultsOf({ target, sent: totals })
  if (faults.length > 0) throw new Error(faults.join('\n'))
  return roundTrips / totals.webhooks
}

const EXPECTED_PER_SECOND = 8_000
