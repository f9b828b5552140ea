import { readPayoutCallback } from '../upstream/wire/payouts/wire-payout.ts'
import { unwrapped } from '../upstream/wire/values/wire-page.ts'
import { createWebhookHandler, type WebhookHandler, type WebhookHandlerOptions } from './webhook-handler.ts'

export type PayoutWebhookOptions = WebhookHandlerOptions & {
  /** Called when a callback left a payout in doubt. */
  readonly onReadDue: () => void
}

/**
 * Handles payout callbacks, which contain the record of the batch (gap sheet, section 25.3). The payments API promises no signature for
 * them, so the Authorization of each payout's own address is always checked; a signature that is present must be right. Nothing of the
 * body is stored with the delivery: most of it names payees.
 */
export function createPayoutWebhook(options: PayoutWebhookOptions): WebhookHandler {
  return createWebhookHandler(options, {
    callback: 'payout',
    refKinds: ['payout'],
    signature: 'checked-when-present',
    store: async ({ json, correlationId, ...delivery }) => {
      const report = json === null ? null : readPayoutCallback(unwrapped(json))
      const outcome = await options.inbox.receivePayout({ ...delivery, ref: correlationId ?? '', body: null, report })
      options.logger.info(
        {
          disposition: outcome.disposition,
          kind: outcome.repeat ? 'repeat' : 'new',
          payoutId: report?.id,
          status: report?.status,
        },
        'callback stored',
      )
      if (outcome.readDue) options.onReadDue()
      return { usable: report !== null, outcome }
    },
  })
}
