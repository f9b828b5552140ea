import { failureReason } from '../payments/failures.ts'
import type { Link, PaymentStatus } from '../payments/link.ts'
import type { StateOverrides } from '../payments/payment-object.ts'
import { composeWebhook } from '../payments/transitions.ts'
import type { SandboxStore } from '../state/sandbox-store.ts'
import type { WebhookSource } from './webhook-faults.ts'

/** Webhook source for a link, payin or gateway payment, as the webhook faults use it. */
export function linkWebhookSource(store: SandboxStore, link: Link): WebhookSource<PaymentStatus> {
  return {
    subject: link.uuid,
    holder: link,
    compose: (kind, status) => composeWebhook(store, link, kind, overridesFor(status)),
  }
}

/** A failure needs a reason in its body; webhooks of all other statuses have no `pay_code`. */
function overridesFor(status: PaymentStatus | undefined): StateOverrides {
  if (status === undefined) return {}
  return { status, payCode: status === 'failed' ? { ...failureReason('generic_declined') } : null }
}
