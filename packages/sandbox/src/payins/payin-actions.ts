import { BANK_ACCOUNTS, vietQr } from '../accounts/bank-accounts.ts'
import { recordedAmount, type Method } from '../methods/methods.ts'
import {
  createLink,
  findByAnyUuid,
  planStep,
  proceed,
  requestRefund,
  type RefundOutcome,
  type RefundRequest,
  announce,
  startPayment,
  transition,
} from '../payments/link-actions.ts'
import { flatObject, paymentUrl } from '../payments/payment-object.ts'
import {
  failureReason,
  magicFailure,
  isPayin,
  type Link,
  type Payin,
  gstAmount,
  owedTotal,
  statusOf,
} from '../state/link.ts'
import type { SandboxSite, SandboxStore } from '../state/sandbox-store.ts'
import { type Decimal, compareDecimals, money, wireTime, decimalText } from '../values/decimal.ts'
import type { PayinRequest } from './check-payin-request.ts'

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

/** Expires a pending payin, unless it is paid on a handset (gap sheet, section 12). Returns false if it cannot be cancelled. */
export function cancelPayin(store: SandboxStore, payin: Payin): boolean {
  if (payin.payment?.status !== 'pending' || payin.payment.method.kind === 'mobile_money') return false
  void transition(store, payin, 'expired')
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

/** Whether a webhook delivers the `pay_code` of a method after the creation (gap sheet, section 9). */
function isLate(method: Method): boolean {
  return method.kind === 'alias' || method.code === 'jp_bank_jpy'
}

/** Returns the payment instructions by the kind of the method (gap sheet, section 9); undefined for mobile money. */
function payCodeOf(store: SandboxStore, payin: Payin, method: Method): Readonly<Record<string, string>> | undefined {
  const page = paymentUrl(store, payin)
  if (method.kind === 'mobile_money') return undefined
  if (method.kind === 'card') return { '3ds_url': `${page}/3ds` }
  if (method.kind === 'alias') return { payment_url: page }
  if (method.code === 'jp_bank_jpy') return japaneseAccount(payin)
  const code = qrCodeOf(payin, method)
  if (code !== undefined) return code
  if (BANK_METHOD.test(method.code)) return bankAccount(payin)
  return { redirect_url: page }
}

/** Returns the code that the payer scans; undefined for a method without one. */
export function qrCodeOf(link: Link, method: Method): Readonly<Record<string, string>> | undefined {
  return QR_METHOD.test(method.code) ? { qr_string: qrString(link, method) } : undefined
}

const QR_METHOD = /qr|duitnow|pix/
const BANK_METHOD = /^(?:kr|ng|mw|bw|ar|sa|usdc)_/

function japaneseAccount(payin: Payin): Record<string, string> {
  return {
    bank_name: 'Sandbox Bank',
    transfer_id: digitsOf(payin.uuid, 7),
    branch_code: '001',
    branch_name: 'Main branch',
    account_type: 'ordinary',
    account_number: digitsOf(payin.uuid, 7),
    account_name: 'ｻﾝﾄﾞﾎﾞｯｸｽ',
    transfer_name: `${digitsOf(payin.uuid, 7)} ${payin.payin.name}`,
    expired_timestamp: payin.expiresAt.toISOString(),
  }
}

function bankAccount(payin: Payin): Record<string, string> {
  return {
    bank_name: 'Sandbox Bank',
    account_number: digitsOf(payin.uuid, 12),
    account_name: 'Sandbox Treasury',
    reference: payin.uuid,
  }
}

/** A VietQR payload that the bank look-up resolves; the other schemes have no published sandbox payload. */
function qrString(link: Link, method: Method): string {
  const amount = decimalText(owedTotal(link))
  const [account] = BANK_ACCOUNTS
  if (method.currency === 'VND' && account !== undefined) return vietQr({ ...account, amount, purpose: link.uuid })
  return `sandbox:${method.code}:${link.uuid}:${amount}`
}

/** Returns digits derived from the uuid, so that they stay the same for a payin. */
function digitsOf(uuid: string, count: number): string {
  return Array.from(uuid.repeat(2), (letter) => String(letter.charCodeAt(0) % 10))
    .join('')
    .slice(0, count)
}
