import { ExactNumber, type ExactJson } from '../lib/exact-json.ts'
import { createWebhookHandler, type WebhookHandler, type WebhookHandlerOptions } from './webhook-handler.ts'

/**
 * Handles callbacks of gateway payments, which change no state here. Only the id and the status of the delivery are stored, because the
 * rest names payers. The payments API promises no signature for these, so the Authorization of the address is always checked.
 */
export function createGatewayWebhook(options: WebhookHandlerOptions): WebhookHandler {
  return createWebhookHandler(options, {
    callback: 'gateway-payment',
    refKinds: ['gateway-payment'],
    signature: 'checked-when-present',
    store: async ({ json, correlationId: ref, ...delivery }) => {
      const subjectId = text(json, 'payment_id')
      const statusRaw = text(json, 'status')
      const outcome = await options.inbox.keep({ ...delivery, ref, subjectId, statusRaw })
      options.logger.info(
        { disposition: outcome.disposition, kind: 'gateway-payment', status: statusRaw },
        'callback stored',
      )
      return { usable: json !== null, outcome }
    },
  })
}

const USABLE = /^[\w-]{1,64}$/

/** A short identifier or word of the body; null for anything else. */
function text(json: ExactJson | null, field: string): string | null {
  if (json === null || typeof json !== 'object' || Array.isArray(json) || json instanceof ExactNumber) return null
  const value = json[field]
  const given = value instanceof ExactNumber ? value.text : value
  return typeof given === 'string' && USABLE.test(given) ? given : null
}
