import { recordedAmount } from '../methods/methods.ts'
import { failureReason, magicFailure } from '../payments/failures.ts'
import { isPayin } from '../payments/link.ts'
import type { Link, Payin } from '../payments/link.ts'
import { createLink, findByAnyUuid } from '../payments/links.ts'
import { requestRefund } from '../payments/refunds.ts'
import type { RefundOutcome, RefundRequest } from '../payments/refunds.ts'
import { proceed } from '../payments/steps.ts'
import { announce, startPayment, transition } from '../payments/transitions.ts'
import type { World } from '../state/sandbox-state.ts'
import type { SandboxSite } from '../state/sites.ts'
import type { Decimal } from '../values/decimal.ts'
import { isLate, payCodeOf } from './pay-code.ts'
import type { PayinRequest } from './payin-request.ts'

/**
 * Keeps a new payin, which is pending from the start. It waits for its payer: the hosted page, a simulation or the
 * control endpoint; only a magic failure comes by itself.
 */
export function createPayin(
  world: World,
  site: SandboxSite,
  { method, request, terms, expiresAt }: PayinRequest,
): Payin {
  const payin = createLink(world, site, request, { payin: terms, expiresAt })
  if (!isPayin(payin)) throw new TypeError('A link with terms is a payin.')
  startPayment(world, payin, method)
  void proceed(world, payin, 'pending', isLate(method) ? undefined : payCodeOf(world, payin, method))
  if (isLate(method)) payin.step = world.clock.after(world.paceMs, () => deliverPayCode(world, payin))
  else planMagicFailure(world, payin)
  return payin
}

/** The site's payin with this uuid. */
export function findPayin(world: World, site: SandboxSite, uuid: string): Payin | undefined {
  const payin = world.links.get(uuid)
  return payin?.siteId === site.id && isPayin(payin) ? payin : undefined
}

/** The site's payins that were created in a range to which both ends belong, the newest first. */
export function listPayins(world: World, site: SandboxSite, { from, to }: { from?: Date; to?: Date }): Payin[] {
  return [...world.links.values()]
    .filter(isPayin)
    .filter((payin) => payin.siteId === site.id)
    .filter(({ createdAt }) => (from === undefined || createdAt >= from) && (to === undefined || createdAt <= to))
    .reverse()
}

export type Simulation = { uuid: string; status: 'completed' | 'failed'; amount: Decimal | undefined }

/**
 * Ends a pending payment of the site, of a payin or of a link (gap sheet, section 11). Gives false when there is none.
 */
export function simulate(world: World, site: SandboxSite, { uuid, status, amount }: Simulation): boolean {
  const link = findByAnyUuid(world, uuid)
  if (link?.siteId !== site.id || link.payment?.status !== 'pending') return false
  if (status === 'failed') void transition(world, link, 'failed', { payCode: { ...failureReason('generic_declined') } })
  else complete(world, link, amount)
  return true
}

/** Asks for money back; a payin must be paid for that, wholly or apart from earlier refunds (gap sheet, section 12). */
export function refundPayin(world: World, payin: Payin, refund: RefundRequest): RefundOutcome {
  const status = payin.payment?.status
  if (status !== 'received' && status !== 'partially_refunded')
    return { problems: { payment_request_id: 'is not refundable' } }
  return requestRefund(world, payin, refund)
}

function complete(world: World, link: Link, amount: Decimal | undefined): void {
  if (link.payment !== undefined && amount !== undefined)
    link.payment.paid = recordedAmount(amount, link.request.currency)
  void proceed(world, link, 'received')
}

/** Tells the `pay_code` that came late; the status stays pending. */
async function deliverPayCode(world: World, payin: Payin): Promise<void> {
  const { payment } = payin
  if (payment?.status !== 'pending') return
  payment.payCode = payCodeOf(world, payin, payment.method) ?? null
  planMagicFailure(world, payin)
  await announce(world, payin)
}

function planMagicFailure(world: World, payin: Payin): void {
  const { sender, amount, currency } = payin.request
  const payCode = magicFailure(sender.lastName, amount, currency)
  if (payCode === undefined) return
  payin.step?.cancel()
  payin.step = world.clock.after(world.paceMs, () => transition(world, payin, 'failed', { payCode }))
}
