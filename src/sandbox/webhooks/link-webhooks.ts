import { failureReason } from '../payments/failures.ts'
import type { Link } from '../payments/link.ts'
import type { TellOptions } from '../payments/payment-object.ts'
import type { PaymentStatus } from '../payments/status.ts'
import { composeWebhook } from '../payments/transitions.ts'
import type { World } from '../state/sandbox-state.ts'
import type { Teller } from './webhook-faults.ts'

/** A link, payin or gateway payment as mishaps see it. */
export function linkTeller(world: World, link: Link): Teller<PaymentStatus> {
  return {
    subject: link.uuid,
    holder: link,
    compose: (kind, status) => composeWebhook(world, link, kind, toldFor(status)),
  }
}

/** A failure needs a reason in its body; every other status is told without a `pay_code`. */
function toldFor(status: PaymentStatus | undefined): TellOptions {
  if (status === undefined) return {}
  return { status, payCode: status === 'failed' ? { ...failureReason('generic_declined') } : null }
}
