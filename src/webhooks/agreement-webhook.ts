import { readAgreementReport } from '../upstream/wire/agreements/wire-agreement.ts'
import { withoutSecretsOfAgreement } from '../upstream/wire/values/redact.ts'
import { createWebhookHandler, type WebhookHandler, type WebhookHandlerOptions } from './webhook-handler.ts'

export type AgreementWebhookOptions = WebhookHandlerOptions & {
  /** Called when a callback left an agreement in doubt. */
  readonly onReadDue: () => void
}

/**
 * Handles agreement callbacks. The payments API promises no signature for them, so the Authorization of each agreement's own
 * address is always checked; a signature that is present must be right (docs/payments-api.md, section 4.1).
 */
export function createAgreementWebhook(options: AgreementWebhookOptions): WebhookHandler {
  return createWebhookHandler(options, {
    callback: 'agreement',
    refKinds: ['agreement'],
    signature: 'checked-when-present',
    store: async ({ json, correlationId, ...delivery }) => {
      const report = json === null ? null : readAgreementReport(json)
      const body = json === null ? null : JSON.stringify(withoutSecretsOfAgreement(json))
      const outcome = await options.inbox.receiveAgreement({ ...delivery, ref: correlationId ?? '', body, report })
      options.logger.info(
        {
          disposition: outcome.disposition,
          kind: outcome.repeat ? 'repeat' : 'new',
          agreementId: report?.id,
          status: report?.status,
        },
        'callback stored',
      )
      if (outcome.readDue) options.onReadDue()
      return { usable: report !== null, outcome }
    },
  })
}
