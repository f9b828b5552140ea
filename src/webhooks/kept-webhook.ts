import { ExactNumber, type ExactJson } from '../lib/exact-json.ts'
import {
  createWebhookHandler,
  type WebhookHandler,
  type WebhookEndpoint,
  type WebhookHandlerOptions,
} from './webhook-handler.ts'

/**
 * Handles callbacks that change no state here: payouts and gateway payments are read from the payments API when a client asks.
 * Only the id and the status of the delivery are stored, because the rest names payees. The payments API
 * promises no signature for these, so the Authorization of the address is always checked.
 */
export function createKeptWebhook(options: WebhookHandlerOptions, kind: 'payout' | 'gateway-payment'): WebhookHandler {
  return createWebhookHandler(options, {
    callback: kind,
    refKinds: [kind],
    signature: 'checked-when-present',
    store: async ({ json, correlationId: ref, ...delivery }) => {
      const subjectId = text(json, ID_FIELD[kind])
      const statusRaw = text(json, 'status')
      const outcome = await options.inbox.keep({ ...delivery, ref, subjectId, statusRaw })
      options.logger.info({ disposition: outcome.disposition, kind, status: statusRaw }, 'callback stored')
      return { usable: json !== null, outcome }
    },
  } satisfies WebhookEndpoint)
}

const ID_FIELD = { payout: 'uuid', 'gateway-payment': 'payment_id' } as const

const USABLE = /^[\w-]{1,64}$/

/** A short identifier or word of the body; null for anything else. */
function text(json: ExactJson | null, field: string): string | null {
  if (json === null || typeof json !== 'object' || Array.isArray(json) || json instanceof ExactNumber) return null
  const value = json[field]
  const given = value instanceof ExactNumber ? value.text : value
  return typeof given === 'string' && USABLE.test(given) ? given : null
}
