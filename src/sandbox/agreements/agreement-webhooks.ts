import { stringifyExactJson } from '../../lib/exact-json.ts'
import type { SandboxStore } from '../state/sandbox-store.ts'
import { signatureOf } from '../webhooks/webhook-composer.ts'
import type { WebhookSource } from '../webhooks/webhook-faults.ts'
import type { OutgoingWebhook, WebhookKind } from '../webhooks/webhook-sender.ts'
import { agreementObject } from './agreement-object.ts'
import { agreementIdOf } from './sandbox-agreement.ts'
import type { Agreement, AgreementStatus } from './sandbox-agreement.ts'

/** Webhook source for an agreement, as the webhook faults use it. */
export function agreementWebhookSource(store: SandboxStore, agreement: Agreement): WebhookSource<AgreementStatus> {
  return {
    subject: agreementIdOf(agreement),
    holder: agreement,
    compose: (kind, status) => composeCallback(store, agreement, kind, status),
  }
}

/**
 * Composes the callback for an agreement (docs/payments-api.md, section 4.1); signed only when the sandbox is configured to.
 */
export function composeCallback(
  store: SandboxStore,
  agreement: Agreement,
  kind: WebhookKind,
  status: AgreementStatus = agreement.status,
): OutgoingWebhook {
  const body = stringifyExactJson(agreementObject(agreement, status))
  return {
    subject: agreementIdOf(agreement),
    kind,
    status,
    url: agreement.terms.target.endpointUrl,
    authorization: agreement.terms.target.authorizationHeader,
    body,
    signature: store.signAgreementCallbacks ? signatureOf(store, body) : undefined,
  }
}
