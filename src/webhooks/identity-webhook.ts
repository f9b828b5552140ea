import { readContact } from '../upstream/wire/customers/wire-person.ts'
import { createWebhookHandler, type WebhookHandler, type WebhookHandlerOptions } from './webhook-handler.ts'

export type IdentityWebhookOptions = WebhookHandlerOptions & {
  /** Called with the e-mail address of the contact that a new callback is about. Does not reject. */
  readonly onReported: (email: string) => Promise<void>
}

/**
 * Handles callbacks about identity checks, which change no state here (gap sheet, section 23): whoever follows the contact has it read. Only the last status is stored with the delivery:
 * the rest is personal data. The payments API promises no signature for these, so the Authorization of the address is always checked.
 */
export function createIdentityWebhook(options: IdentityWebhookOptions): WebhookHandler {
  return createWebhookHandler(options, {
    callback: 'identity-check',
    refKinds: ['identity-check'],
    signature: 'checked-when-present',
    store: async ({ json, correlationId: ref, ...delivery }) => {
      const contact = json === null ? null : readContact(json)
      const statusRaw = contact?.identity.at(-1)?.statusRaw ?? null
      // The body names its subject by e-mail address alone; the correlation id stands for it.
      const outcome = await options.inbox.keep({ ...delivery, ref, subjectId: ref, statusRaw })
      options.logger.info(
        { disposition: outcome.disposition, kind: 'identity-check', status: statusRaw },
        'callback stored',
      )
      if (contact !== null && !outcome.repeat) void options.onReported(contact.email)
      return { usable: json !== null, outcome }
    },
  })
}
