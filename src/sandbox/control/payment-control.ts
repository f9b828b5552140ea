import { failureReason } from '../payments/failures.ts'
import { findByAnyUuid } from '../payments/link-actions.ts'
import type { Link } from '../payments/link.ts'
import { noteRefund } from '../payments/refunds.ts'
import type { PaymentStatus } from '../payments/status.ts'
import { announce, ensurePayment, transition } from '../payments/transitions.ts'
import type { SandboxStore } from '../state/sandbox-store.ts'
import { parseDecimal } from '../values/decimal.ts'
import { ControlError } from './control-error.ts'

export type SetStatusOptions = {
  /** The failure code of `failed`; `generic_declined` when absent. */
  errorCode?: string
  /** Changes the status without sending a webhook. */
  silent?: boolean
  /**
   * The total refunded or requested amount, for refund statuses. Default: the whole amount, or half of it for a partial
   * refund.
   */
  refundAmount?: string
}

/** Sets the status of a link, payin or gateway payment and waits for the first attempt of its webhook. */
export async function setPaymentStatus(
  store: SandboxStore,
  link: Link,
  status: PaymentStatus,
  { errorCode = 'generic_declined', silent = false, refundAmount }: SetStatusOptions,
): Promise<void> {
  const reason = failureReason(errorCode)
  if (reason === undefined) throw new ControlError(422, 'There is no such failure code.')
  const refunded = refundAmount === undefined ? undefined : parseDecimal(refundAmount)
  if (refundAmount !== undefined && refunded === undefined) throw new ControlError(422, 'The refund is no amount.')
  if (status === 'expired' && link.payment === undefined) {
    link.lapsed = true
    if (!silent) await announce(store, link)
    return
  }
  noteRefund(link, ensurePayment(store, link), { status, total: refunded })
  await transition(store, link, status, { silent, payCode: status === 'failed' ? { ...reason } : undefined })
}

/** Returns the link, payin or gateway payment with this uuid, or the one whose payment has it. */
export function linkOf(store: SandboxStore, uuid: string): Link {
  const link = findByAnyUuid(store, uuid)
  if (link === undefined) throw new ControlError(404, 'There is no such link or payin.')
  return link
}
