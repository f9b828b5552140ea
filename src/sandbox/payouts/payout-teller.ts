import { stringifyExactJson } from '../../lib/exact-json.ts'
import type { World } from '../state/sandbox-state.ts'
import { signatureOf } from '../webhooks/webhook-composer.ts'
import type { Teller } from '../webhooks/webhook-faults.ts'
import type { OutgoingWebhook, WebhookKind } from '../webhooks/webhook-sender.ts'
import { payoutRecord } from './payout-record.ts'
import type { Payout, PayoutStatus } from './payout.ts'

/** A payout as mishaps see it. */
export function payoutTeller(world: World, payout: Payout): Teller<PayoutStatus> {
  return {
    subject: payout.uuid,
    holder: payout,
    compose: (kind, status) => composePayoutWebhook(world, payout, kind, status),
  }
}

/** The webhook that tells of a batch: its record, signed as every outgoing webhook (gap sheet, section 25.3). */
export function composePayoutWebhook(
  world: World,
  payout: Payout,
  kind: WebhookKind,
  status: PayoutStatus = payout.status,
): OutgoingWebhook {
  const body = stringifyExactJson(payoutRecord(payout, status))
  return {
    subject: payout.uuid,
    kind,
    status,
    url: payout.request.target.endpointUrl,
    authorization: payout.request.target.authorizationHeader,
    body,
    signature: signatureOf(world, body),
  }
}
