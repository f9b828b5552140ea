import { balanceOf } from '../accounts/balances.ts'
import type { World } from '../state/sandbox-state.ts'
import { compareDecimals } from '../values/decimal.ts'
import { tell } from '../webhooks/webhook-composer.ts'
import { CHARGES_MANDATE, MAGIC_PAYOUTS, NO_FUNDS, hasMagic, isMagic } from './magic-payouts.ts'
import { composePayoutWebhook } from './payout-teller.ts'
import { totalAmount } from './payout.ts'
import type { Payout, PayoutError, PayoutStatus } from './payout.ts'

/** A batch without funds is tried again every hour for a day, then its funding has lapsed. */
const TRY_AGAIN_MS = 60 * 60_000
const LONGEST_WAIT_MS = 24 * TRY_AGAIN_MS

/** Moves a batch to a status and tells the merchant; the step that was planned ends. Never rejects. */
export async function movePayout(
  world: World,
  payout: Payout,
  status: PayoutStatus,
  { silent = false }: { silent?: boolean } = {},
): Promise<void> {
  payout.step?.cancel()
  payout.step = undefined
  payout.status = status
  payout.history.push({ status, at: world.clock.now(), silent })
  concludeTransactions(payout)
  if (!silent) await tell(world, payout, composePayoutWebhook(world, payout, 'transition'))
}

/** The run of a batch begins, unless there are no funds: then it waits for them (gap sheet, section 19). */
export async function begin(world: World, payout: Payout): Promise<void> {
  payout.error = shortage(world, payout)
  if (payout.error === undefined) await run(world, payout)
  else await waitForFunds(world, payout, payout.error)
}

async function run(world: World, payout: Payout): Promise<void> {
  const told = movePayout(world, payout, 'processing')
  payout.step = world.clock.after(world.paceMs, () => movePayout(world, payout, 'completed'))
  await told
}

async function waitForFunds(world: World, payout: Payout, error: PayoutError): Promise<void> {
  const now = world.clock.now()
  payout.fundsUntil ??= new Date(now.getTime() + LONGEST_WAIT_MS)
  if (now >= payout.fundsUntil) return movePayout(world, payout, 'expired')
  const told = payout.status === 'scheduled' ? undefined : movePayout(world, payout, 'scheduled')
  const afterMs = error === CHARGES_MANDATE ? world.paceMs : TRY_AGAIN_MS
  payout.step = world.clock.after(afterMs, () => begin(world, payout))
  return told
}

function shortage(world: World, payout: Payout): PayoutError | undefined {
  if (hasMagic(payout, MAGIC_PAYOUTS.noFunds)) return NO_FUNDS
  if (hasMagic(payout, MAGIC_PAYOUTS.mandate)) return payout.error === undefined ? CHARGES_MANDATE : undefined
  const { available } = balanceOf(world, payout.siteId, payout.currency)
  return compareDecimals(available, totalAmount(payout)) < 0 ? NO_FUNDS : undefined
}

/** Single failures do not stop a batch; one that expires pays nobody. */
function concludeTransactions({ status, currency, transactions }: Payout): void {
  if (status !== 'completed' && status !== 'expired') return
  for (const transaction of transactions) {
    const isRefused = status === 'expired' || isMagic(transaction, currency, MAGIC_PAYOUTS.refused)
    transaction.status = isRefused ? 'failed' : 'settled'
    transaction.errorMessage = isRefused ? REASONS[status] : null
  }
}

const REASONS = {
  completed: 'The bank of the payee refused the transfer.',
  expired: 'The payout was not made.',
} as const
