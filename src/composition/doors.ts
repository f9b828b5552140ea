import type { KeyRing } from '../keys/key-ring.ts'
import type { Logger } from '../log.ts'
import type { Store } from '../store/store.ts'
import { createAgreementDoor } from '../webhook/agreement-door.ts'
import type { Door } from '../webhook/door.ts'
import { createKeepingDoor } from '../webhook/keeping-door.ts'
import { createPaymentDoor } from '../webhook/payment-door.ts'
import type { AppConfig } from './app-config.ts'
import type { Reading } from './reading.ts'

export type Doors = Readonly<Record<'payments' | 'agreements' | 'payouts' | 'gateway-payments', Door>>

type DoorParts = {
  readonly store: Store
  readonly keys: KeyRing
  readonly logger: Logger
  readonly clock: () => Date
  readonly reading: Pick<Reading, 'wakePayments' | 'wakeAgreements'>
}

/** The doors at which webhooks and callbacks come in. What is in doubt wakes the readers. */
export function createDoors(config: AppConfig, { store, keys, logger, clock, reading }: DoorParts): Doors {
  const common = { inbox: store.inbox, keys, secrets: config.webhooks.secrets, logger, clock }
  return {
    payments: createPaymentDoor({ ...common, onReadDue: reading.wakePayments }),
    agreements: createAgreementDoor({ ...common, onReadDue: reading.wakeAgreements }),
    payouts: createKeepingDoor(common, 'payout'),
    'gateway-payments': createKeepingDoor(common, 'gateway-payment'),
  }
}
