import { parseExactJson } from '../lib/exact-json.ts'
import type { ReplayFailure } from '../lookups/operation-outcome.ts'
import type { Logger } from '../observability/logger.ts'
import type { DeliveryReplay, ReplayOutcome, Store } from '../store/store.ts'
import { readAgreementReport } from '../upstream/wire/wire-agreement.ts'
import { readPaymentReport } from '../upstream/wire/wire-payment.ts'

export type ReplayDeliveryOptions = {
  readonly store: { readonly inbox: Pick<Store['inbox'], 'replay'> }
  readonly logger: Logger
  readonly clock: () => Date
  /** Called when a read of a payment or agreement has fallen due. */
  readonly onReadDue: () => void
}

export type ReplayRequest = { readonly deliveryId: string; readonly apply: boolean }

type Replayed = Omit<Extract<ReplayOutcome, { kind: 'replayed' }>, 'kind'>

export type ReplayDeliveryOutcome = ({ readonly kind: 'done'; readonly applied: boolean } & Replayed) | ReplayFailure

const PARSE: DeliveryReplay['parse'] = {
  payment: (body) => readPaymentReport(parseExactJson(body)),
  agreement: (body) => readAgreementReport(parseExactJson(body)),
}

/** Processes a stored delivery again with the current version of the code. Without `apply` it only reports what would change. */
export async function replayDelivery(
  { store, logger, clock, onReadDue }: ReplayDeliveryOptions,
  { deliveryId, apply }: ReplayRequest,
): Promise<ReplayDeliveryOutcome> {
  const outcome = await store.inbox.replay({ id: deliveryId, apply, at: clock(), parse: PARSE })
  if (outcome.kind !== 'replayed') return outcome
  if (apply) {
    logger.info({ deliveryId, disposition: outcome.after }, 'delivery replayed')
    if (outcome.readDue) onReadDue()
  }
  return { ...outcome, kind: 'done', applied: apply }
}
