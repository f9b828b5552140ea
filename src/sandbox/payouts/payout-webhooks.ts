import { stringifyExactJson } from '../../lib/exact-json.ts'
import type { SandboxStore } from '../state/sandbox-store.ts'
import { signatureOf } from '../webhooks/webhook-composer.ts'
import type { WebhookSource } from '../webhooks/webhook-faults.ts'
import type { OutgoingWebhook, WebhookKind } from '../webhooks/webhook-sender.ts'
import { payoutRecord } from './payout-record.ts'
import type { Payout, PayoutStatus } from './payout.ts'

/** A payout as faults see it. */
export function payoutWebhookSource(store: SandboxStore, payout: Payout): WebhookSource<PayoutStatus> {
  return {
    subject: payout.uuid,
    holder: payout,
    compose: (kind, status) => composePayoutWebhook(store, payout, kind, status),
  }
}

/** The webhook that tells of a batch: its record, signed as every outgoing webhook (gap sheet, section 25.3). */
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
