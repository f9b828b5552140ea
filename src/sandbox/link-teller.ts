import { failureReason } from './failures.ts'
import type { Link } from './link.ts'
import type { Teller } from './mishaps.ts'
import type { TellOptions } from './payment-object.ts'
import type { PaymentStatus } from './status.ts'
import { composeWebhook } from './transitions.ts'
import type { World } from './world.ts'

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
