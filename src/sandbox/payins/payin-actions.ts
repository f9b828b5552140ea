import { recordedAmount } from '../methods/methods.ts'
import { failureReason, magicFailure } from '../payments/failures.ts'
import { createLink, findByAnyUuid, planStep, proceed } from '../payments/link-actions.ts'
import { isPayin, type Link, type Payin, gstAmount, owedTotal, statusOf } from '../payments/link.ts'
import { flatObject } from '../payments/payment-object.ts'
import { requestRefund, type RefundOutcome, type RefundRequest } from '../payments/refunds.ts'
import { announce, startPayment, transition } from '../payments/transitions.ts'
import type { SandboxSite, SandboxStore } from '../state/sandbox-store.ts'
import { type Decimal, compareDecimals, money, wireTime } from '../values/decimal.ts'
import type { PayinRequest } from './check-payin-request.ts'
import { isLate, payCodeOf } from './pay-code.ts'

/**
 * Stores a new payin with the status pending. The hosted page, a simulation or the control endpoint completes it; only a
 * magic failure happens automatically.
 */
export function createPayin(
  store: SandboxStore,
  site: SandboxSite,
  { method, request, terms, expiresAt }: PayinRequest,
): Payin {
  const payin = createLink(store, site, request, { payin: terms, expiresAt })
  if (!isPayin(payin)) throw new TypeError('A link with terms is a payin.')
  startPayment(store, payin, method)
  void proceed(store, payin, 'pending', isLate(method) ? undefined : payCodeOf(store, payin, method))
  if (isLate(method)) payin.step = store.clock.after(store.paceMs, () => deliverPayCode(store, payin))
  else planMagicFailure(store, payin)
  return payin
}

/** Returns the site's payin with this uuid. */
export function findPayin(store: SandboxStore, site: SandboxSite, uuid: string): Payin | undefined {
  const payin = store.links.get(uuid)
  return payin?.siteId === site.id && isPayin(payin) ? payin : undefined
}

/** Returns the site's payins that were created between the two instants, both inclusive, newest first. */
export function listPayins(store: SandboxStore, site: SandboxSite, { from, to }: { from?: Date; to?: Date }): Payin[] {
  return [...store.links.values()]
    .filter(isPayin)
    .filter((payin) => payin.siteId === site.id)
    .filter(({ createdAt }) => (from === undefined || createdAt >= from) && (to === undefined || createdAt <= to))
    .reverse()
}

export type Simulation = { uuid: string; status: 'completed' | 'failed'; amount: Decimal | undefined }

/**
 * Completes a pending payment of the site, of a payin or of a link (gap sheet, section 11). Returns false when there is
 * none.
 */
export function simulate(store: SandboxStore, site: SandboxSite, { uuid, status, amount }: Simulation): boolean {
  const link = findByAnyUuid(store, uuid)
  if (link?.siteId !== site.id || link.payment?.status !== 'pending') return false
  if (status === 'failed') void transition(store, link, 'failed', { payCode: { ...failureReason('generic_declined') } })
  else complete(store, link, amount)
  return true
}

/** Requests a refund of a payin, which must be `received` or `partially_refunded` (gap sheet, section 12). */
export function refundPayin(store: SandboxStore, payin: Payin, refund: RefundRequest): RefundOutcome {
  const status = payin.payment?.status
  if (status !== 'received' && status !== 'partially_refunded')
    return { problems: { payment_request_id: 'is not refundable' } }
  return requestRefund(store, payin, refund)
}

function complete(store: SandboxStore, link: Link, amount: Decimal | undefined): void {
  if (link.payment !== undefined && amount !== undefined)
    link.payment.paid = recordedAmount(amount, link.request.currency)
  void proceed(store, link, 'received')
}

/** Plans the step of a payin again that was planned before a restart. */
export function resumePayin(store: SandboxStore, payin: Payin, at: Date): void {
  const { payment } = payin
  if (payment?.status !== 'pending') return planStep(store, payin, at)
  const isUntold = isLate(payment.method) && payment.payCode === null
  if (isUntold) payin.step = store.clock.schedule(at, () => deliverPayCode(store, payin))
  else if (!planMagicFailure(store, payin, at)) planStep(store, payin, at)
}

/** Sends the late `pay_code` by webhook; the status stays pending. */
async function deliverPayCode(store: SandboxStore, payin: Payin): Promise<void> {
  const { payment } = payin
  if (payment?.status !== 'pending') return
  payment.payCode = payCodeOf(store, payin, payment.method) ?? null
  planMagicFailure(store, payin)
  await announce(store, payin)
}

/** Plans the failure that the request selects. Returns false when it selects none. */
function planMagicFailure(store: SandboxStore, payin: Payin, at?: Date): boolean {
  const { sender, amount, currency } = payin.request
  const payCode = magicFailure(sender.lastName, amount, currency)
  if (payCode === undefined) return false
  payin.step?.cancel()
  const dueAt = at ?? new Date(store.clock.now().getTime() + store.paceMs)
  payin.step = store.clock.schedule(dueAt, () => transition(store, payin, 'failed', { payCode }))
  return true
}

/** The record of a payin in the responses of creation, detail and list (gap sheet, section 10). */
export function payinRecord(store: SandboxStore, payin: Payin): Record<string, unknown> {
  const { terms, status } = { terms: payin.payin, status: statusOf(payin) }
  return {
    ...flatObject(store, payin),
    status_text: status.replaceAll('_', ' '),
    stage: isOverpaid(payin) ? 'overpaid' : null,
    gst: terms.gst,
    gst_amount: money(gstAmount(payin)),
    description: payin.request.description,
    pay_by: wireTime(payin.expiresAt),
    metadata: terms.metadata ?? {},
  }
}

/** The same record as the response to a refund spells it (gap sheet, section 12). */
export function refundedRecord(store: SandboxStore, payin: Payin): Record<string, unknown> {
  const { webhook_notification: payinNotification, expired_at: expiredAt, ...rest } = payinRecord(store, payin)
  return { ...rest, payin_notification: payinNotification, expried_at: expiredAt }
}

function isOverpaid(payin: Payin): boolean {
  const { paid } = payin.payment ?? {}
  return paid !== undefined && compareDecimals(paid, owedTotal(payin)) > 0
}
