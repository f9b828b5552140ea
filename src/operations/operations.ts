import { randomBytes, randomUUID } from 'node:crypto'
import type { LinkRequest } from '../domain/payment-link-rules.ts'
import type { Logger } from '../log.ts'
import type { Reader } from '../reconcile/reader.ts'
import type { Store } from '../store/store.ts'
import { createPaymentLink, type CreateLinkOptions, type LinkOutcome } from './create-payment-link.ts'
import { createOnce } from './once.ts'
import { refreshPayment, type RefreshOutcome } from './refresh-payment.ts'

/** Everything that a client can have done, each with its expected failures as data. */
export type Operations = {
  createPaymentLink(request: LinkRequest): Promise<LinkOutcome>
  refreshPayment(id: string): Promise<RefreshOutcome>
}

export type OperationsOptions = Omit<CreateLinkOptions, 'once' | 'newRef' | 'store'> & {
  readonly store: Store
  readonly reader: Reader
  readonly logger: Logger
}

/** 128 bits, in characters that need no escaping in an address. */
const newRef = (): string => randomBytes(16).toString('base64url')

export function createOperations(options: OperationsOptions): Operations {
  const { store, reader, keys, logger, clock } = options
  const once = createOnce({ commands: store.commands, keys, logger, clock, owner: randomUUID(), newId: randomUUID })
  return {
    createPaymentLink: (request) => createPaymentLink({ ...options, once, newRef }, request),
    refreshPayment: (id) => refreshPayment({ store, reader }, id),
  }
}
