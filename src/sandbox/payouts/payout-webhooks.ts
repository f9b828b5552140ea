import { stringifyExactJson } from '../../lib/exact-json.ts'
import type { SandboxStore } from '../state/sandbox-store.ts'
import { signatureOf } from '../webhooks/webhook-composer.ts'
import type { WebhookSource } from '../webhooks/webhook-faults.ts'
import type { OutgoingWebhook, WebhookKind } from '../webhooks/webhook-sender.ts'
import { payoutRecord } from './payout-record.ts'
import type { Payout, PayoutStatus } from './sandbox-payout.ts'

/** Webhook source for a payout, as the webhook faults use it. */
export function payoutWebhookSource(store: SandboxStore, payout: Payout): WebhookSource<PayoutStatus> {
  return {
    subject: payout.uuid,
    holder: payout,
    compose: (kind, status) => composePayoutWebhook(store, payout, kind, status),
  }
}

/** Composes the webhook of a batch: its record, signed like every outgoing webhook (gap sheet, section 25.3). */
export function composePayoutWebhook(
  store: SandboxStore,
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
    signature: signatureOf(store, body),
  }
}
