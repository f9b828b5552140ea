import { eventId, type PaymentEvent } from '../../domain/payment-event.ts'
import type { Db, WriteUnit } from '../unit.ts'
import { fromIso } from './instants.ts'

/** Where the next event of a stream goes. */
export type Place = { readonly streamId: string; readonly sequence: number; readonly position: number }

export type NewEvent = Omit<PaymentEvent, 'id' | keyof Place> & {
  /** The webhook that caused it. */
  readonly deliveryId: string | null
}

/**
 * Takes the next position of the log and the next sequence of a stream. From here to the end of the transaction nobody
 * else can append, so that positions come in the order of the commits, and a transaction that is undone leaves no hole.
 */
export async function reservePlace(db: Db, streamId: string): Promise<Place> {
  const { position } = await db
    .updateTable('log_head')
    .set((eb) => ({ position: eb('position', '+', 1) }))
    .where('id', '=', 1)
    .returning('position')
    .executeTakeFirstOrThrow()
  const last = await db
    .selectFrom('events')
    .select('sequence')
    .where('stream_id', '=', streamId)
    .orderBy('sequence', 'desc')
    .limit(1)
    .executeTakeFirst()
  return { streamId, position, sequence: (last?.sequence ?? 0) + 1 }
}

/** Appends an event at a place that was reserved in the same transaction. Gives its id. */
export async function appendEvent(unit: WriteUnit, place: Place, event: NewEvent): Promise<string> {
  await unit.db
    .insertInto('events')
    .values({
      position: place.position,
      stream_id: place.streamId,
      sequence: place.sequence,
      kind: event.kind,
      source: event.source,
      from_status: event.fromStatus,
      to_status: event.toStatus,
      link_ref: event.linkRef,
      payment_id: event.payment?.id ?? null,
      agreement_id: event.agreement?.id ?? null,
      payment_json: event.payment === null ? null : JSON.stringify(event.payment),
      agreement_json: event.agreement === null ? null : JSON.stringify(event.agreement),
      recorded_at: fromIso(event.recordedAt),
      delivery_id: event.deliveryId,
    })
    .execute()
  unit.appended = true
  return eventId(place.streamId, place.sequence)
}
