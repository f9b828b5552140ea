import { readPaymentReport } from '../upstream/wire/payments/wire-payment.ts'
import { withoutSecrets } from '../upstream/wire/values/redact.ts'
import { createWebhookHandler, type WebhookHandler, type WebhookHandlerOptions } from './webhook-handler.ts'

export type PaymentWebhookOptions = WebhookHandlerOptions & {
  /** Called when a delivery left a payment in doubt. */
  readonly onReadDue: () => void
}

/**
 * Handles payment webhooks: of links, at the merchant's default address, and of direct payins. The payments API signs
 * them all (docs/payments-api.md, section 6.3).
 */
export function createPaymentWebhook(options: PaymentWebhookOptions): WebhookHandler {
  return createWebhookHandler(options, {
    callback: 'payment',
    refKinds: ['link', 'payin'],
    signature: 'required',
    store: async ({ json, correlationId: ref, ...delivery }) => {
      const report = json === null ? null : readPaymentReport(json)
      const body = json === null ? null : JSON.stringify(withoutSecrets(json))
      const outcome = await options.inbox.receive({ ...delivery, ref, body, report })
      options.logger.info(
        {
          disposition: outcome.disposition,
          kind: outcome.repeat ? 'repeat' : 'new',
          paymentId: report?.paymentId,
          status: report?.status,
        },
        'webhook stored',
      )
      if (outcome.orphan !== undefined)
        options.logger.error({ ...outcome.orphan, paymentId: report?.paymentId }, 'orphan link paid')
      if (outcome.readDue) options.onReadDue()
      return { usable: report !== null, outcome }
    },
  })
}
