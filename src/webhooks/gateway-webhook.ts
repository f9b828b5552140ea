import { readGatewayCallback } from '../upstream/wire/payments/gateway-payment.ts'
import { createWebhookHandler, type WebhookHandler, type WebhookHandlerOptions } from './webhook-handler.ts'

/**
 * Handles callbacks of gateway payments (gap sheet, section 4). The payments API promises no signature for them, so the Authorization of each
 * payment's own address is always checked; a signature that is present must be right. Nothing of the body is stored with the delivery: what is
 * not known of it may name the payer.
 */
export function createGatewayWebhook(options: WebhookHandlerOptions): WebhookHandler {
  return createWebhookHandler(options, {
    callback: 'gateway-payment',
    refKinds: ['gateway-payment'],
    signature: 'checked-when-present',
    store: async ({ json, correlationId, ...delivery }) => {
      const report = json === null ? null : readGatewayCallback(json)
      const outcome = await options.inbox.receiveGatewayPayment({
        ...delivery,
        ref: correlationId ?? '',
        body: null,
        report,
      })
      options.logger.info(
        {
          disposition: outcome.disposition,
          kind: outcome.repeat ? 'repeat' : 'new',
          gatewayPaymentId: report?.id,
          status: report?.status,
        },
        'callback stored',
      )
      return { usable: report !== null, outcome }
    },
  })
}
