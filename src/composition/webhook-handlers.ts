import type { KeyRing } from '../keys/key-ring.ts'
import type { Logger } from '../observability/logger.ts'
import type { Store } from '../store/store.ts'
import type { IdentityWatcher } from '../streams/identity/identity-watcher.ts'
import {
  createAgreementWebhook,
  createGatewayWebhook,
  createIdentityWebhook,
  createPaymentWebhook,
  createPayoutWebhook,
} from '../webhooks/subject-webhooks.ts'
import type { CallbackKeyObserver, WebhookHandler } from '../webhooks/webhook-handler.ts'
import type { AppConfig } from './app-config.ts'
import type { Readers } from './compose-readers.ts'

export type WebhookHandlers = Readonly<
  Record<'payments' | 'agreements' | 'payouts' | 'gateway-payments' | 'identity-checks', WebhookHandler>
>

type WebhookHandlerParts = {
  readonly store: Store
  readonly keys: KeyRing
  readonly logger: Logger
  readonly clock: () => Date
  readonly observeKeys: CallbackKeyObserver
  readonly identities: Pick<IdentityWatcher, 'hasten'>
  readonly reading: Pick<Readers, 'wakePayments' | 'wakeAgreements' | 'wakePayouts'>
}

/** Creates the handlers of webhooks and callbacks. A delivery that leaves a doubt wakes the readers. */
export function createWebhookHandlers(
  config: AppConfig,
  { store, keys, logger, clock, observeKeys, reading, identities }: WebhookHandlerParts,
): WebhookHandlers {
  const common = { inbox: store.inbox, keys, secrets: config.webhooks.secrets, logger, clock, observeKeys }
  return {
    payments: createPaymentWebhook({ ...common, onReadDue: reading.wakePayments }),
    agreements: createAgreementWebhook({ ...common, onReadDue: reading.wakeAgreements }),
    payouts: createPayoutWebhook({ ...common, onReadDue: reading.wakePayouts }),
    'gateway-payments': createGatewayWebhook(common),
    'identity-checks': createIdentityWebhook({ ...common, onReported: (email) => identities.hasten(email) }),
  }
}
