import type { BulkReplay } from '../domain/bulk-replay.ts'
import type { Delivery } from '../domain/delivery.ts'
import type { Disposition } from '../domain/payments/payment.ts'
import type { RefKind } from './command-store.ts'
import type { Page, PageQuery } from './page.ts'

export type DeliveryFilter = {
  readonly subjectIds?: readonly string[]
  readonly dispositions?: readonly Disposition[]
  /** True for those that `backlog` counts; otherwise without effect. */
  readonly needsAttention?: boolean
  /** First received within these instants: from the first on, before the second. */
  readonly receivedFrom?: Date
  readonly receivedBefore?: Date
  /** What their addresses were made for; null is the merchant's default address. */
  readonly refKinds?: readonly (RefKind | null)[]
}

/** A replay of deliveries with the filter of their list. */
export type DeliveriesReplay = BulkReplay<DeliveryFilter>

export type NewReplay = Pick<DeliveriesReplay, 'filter' | 'dryRun' | 'requestedBy'> & { readonly requestedAt: Date }

export type BegunReplay =
  | { readonly kind: 'begun' | 'running'; readonly replay: DeliveriesReplay }
  /** As many as may run are running. */
  | { readonly kind: 'too-many' }

/** Replays of deliveries. Their progress is stored with what they change, so that one that was killed goes on with the next delivery. */
export type ReplayQueries = {
  /**
   * Records a replay of what was received until now. Returns the running one of the same terms instead, if there is one. Of those that have
   * ended a thousand are kept.
   */
  begin(request: NewReplay): Promise<BegunReplay>
  /** Those that are not done, oldest first. */
  running(): Promise<DeliveriesReplay[]>
  byNumber(number: number): Promise<DeliveriesReplay | null>
  /** Newest first. */
  page(page: PageQuery): Promise<Page<DeliveriesReplay>>
  /** Returns the next deliveries of a replay, in bounded number, and the number of the last one that was looked at. */
  next(replay: DeliveriesReplay): Promise<{ readonly deliveries: readonly Delivery[]; readonly place: number }>
}
