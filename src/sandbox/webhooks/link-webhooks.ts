import { failureReason } from '../payments/failures.ts'
import type { Link } from '../payments/link.ts'
import type { TellOptions } from '../payments/payment-object.ts'
import type { PaymentStatus } from '../payments/status.ts'
import { composeWebhook } from '../payments/transitions.ts'
import type { SandboxStore } from '../state/sandbox-store.ts'
import type { WebhookSource } from './webhook-faults.ts'

/** A link, payin or gateway payment as faults see it. */
export function linkWebhookSource(store: SandboxStore, link: Link): WebhookSource<PaymentStatus> {
  return {
    subject: link.uuid,
    holder: link,
    compose: (kind, status) => composeWebhook(store, link, kind, toldFor(status)),
  }
}

/** A failure needs a reason in its body; every other status is told without a `pay_code`. */
function toldFor(status: PaymentStatus | undefined): TellOptions {
  if (status === undefined) return {}
  return { status, payCode: status === 'failed' ? { ...failureReason('generic_declined') } : null }
}
