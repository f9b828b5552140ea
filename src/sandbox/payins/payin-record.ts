import { gstAmount, owedTotal, statusOf } from '../payments/link.ts'
import type { Payin } from '../payments/link.ts'
import { flatObject } from '../payments/payment-object.ts'
import type { SandboxStore } from '../state/sandbox-store.ts'
import { compareDecimals } from '../values/decimal.ts'
import { money, wireTime } from '../values/wire.ts'

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
