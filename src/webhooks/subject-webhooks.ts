import { withoutSecrets, withoutSecretsOfAgreement } from '../upstream/wire/values/redact.ts'
import { unwrapped } from '../upstream/wire/values/wire-fields.ts'
import { readAgreementReport } from '../upstream/wire/wire-agreement.ts'
import { readGatewayCallback } from '../upstream/wire/wire-gateway-payment.ts'
import { readPaymentReport } from '../upstream/wire/wire-payment.ts'
import { readPayoutCallback } from '../upstream/wire/wire-payout.ts'
import { readContact } from '../upstream/wire/wire-person.ts'
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
      remember(options, report?.paymentId)
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

type AgreementWebhookOptions = WebhookHandlerOptions & {
  /** Called when a callback left an agreement in doubt. */
  readonly onReadDue: () => void
}

/**
 * Handles agreement callbacks. The payments API promises no signature for them, so the Authorization of each agreement's own
 * address is always checked; a signature that is present must be right (docs/payments-api.md, section 4.1).
 */
function createAgreementWebhook(options: AgreementWebhookOptions): WebhookHandler {
  return createWebhookHandler(options, {
    callback: 'agreement',
    refKinds: ['agreement'],
    signature: 'checked-when-present',
    store: async ({ json, correlationId, ...delivery }) => {
      const report = json === null ? null : readAgreementReport(json)
      const body = json === null ? null : JSON.stringify(withoutSecretsOfAgreement(json))
      remember(options, report?.id)
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

type PayoutWebhookOptions = WebhookHandlerOptions & {
  /** Called when a callback left a payout in doubt. */
  readonly onReadDue: () => void
}

/**
 * Handles payout callbacks, which contain the record of the batch (gap sheet, section 25.3). The payments API promises no signature for
 * them, so the Authorization of each payout's own address is always checked; a signature that is present must be right. Nothing of the
 * body is stored with the delivery: most of it names payees.
 */
function createPayoutWebhook(options: PayoutWebhookOptions): WebhookHandler {
  return createWebhookHandler(options, {
    callback: 'payout',
    refKinds: ['payout'],
    signature: 'checked-when-present',
    store: async ({ json, correlationId, ...delivery }) => {
      const report = json === null ? null : readPayoutCallback(unwrapped(json))
      remember(options, report?.id)
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

/**
 * Handles callbacks of gateway payments (gap sheet, section 4). The payments API promises no signature for them, so the Authorization of each
 * payment's own address is always checked; a signature that is present must be right. Nothing of the body is stored with the delivery: what is
 * not known of it may name the payer.
 */
function createGatewayWebhook(options: WebhookHandlerOptions): WebhookHandler {
  return createWebhookHandler(options, {
    callback: 'gateway-payment',
    refKinds: ['gateway-payment'],
    signature: 'checked-when-present',
    store: async ({ json, correlationId, ...delivery }) => {
      const report = json === null ? null : readGatewayCallback(json)
      remember(options, report?.id)
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

/**
 * Handles callbacks about identity checks, which change no state here (gap sheet, section 23): the contact is read on request. Only the last status is stored with the delivery,
 * because the rest is personal data. The payments API promises no signature for these, so the Authorization of the address is always checked.
 */
function createIdentityWebhook(options: WebhookHandlerOptions): WebhookHandler {
  return createWebhookHandler(options, {
    callback: 'identity-check',
    refKinds: ['identity-check'],
    signature: 'checked-when-present',
    store: async ({ json, correlationId: ref, ...delivery }) => {
      const contact = json === null ? null : readContact(json)
      const statusRaw = contact?.identity.at(-1)?.statusRaw ?? null
      // The body names its subject by e-mail address alone; the correlation id stands for it.
      const outcome = await options.inbox.keep({ ...delivery, ref, subjectId: json === null ? null : ref, statusRaw })
      options.logger.info(
        { disposition: outcome.disposition, kind: 'identity-check', status: statusRaw },
        'callback stored',
      )
      return { usable: json !== null, outcome }
    },
  })
}

/** Lets the delivery of the events of a webhook link to it. */
function remember({ tracing }: WebhookHandlerOptions, subjectId: string | null | undefined): void {
  if (typeof subjectId === 'string') tracing?.remember(subjectId)
}

/** The first segments of the paths under /webhooks. */
export const WEBHOOK_KINDS = ['payments', 'agreements', 'payouts', 'gateway-payments', 'identity-checks'] as const

export type WebhookKind = (typeof WEBHOOK_KINDS)[number]

export type WebhookHandlers = Readonly<Record<WebhookKind, WebhookHandler>>

/** Creates the handlers of webhooks and callbacks. `onReadDue` is called after a delivery that leaves a doubt. */
export function createWebhookHandlers(options: PaymentWebhookOptions): WebhookHandlers {
  return {
    payments: createPaymentWebhook(options),
    agreements: createAgreementWebhook(options),
    payouts: createPayoutWebhook(options),
    'gateway-payments': createGatewayWebhook(options),
    'identity-checks': createIdentityWebhook(options),
  }
}
