import { eventId, type PaymentEvent } from '../../domain/payment-event.ts'
import { encodeEventAgreement } from '../encoding/agreement-snapshot.ts'
import { encodeKind, encodePaymentId, encodeSource } from '../encoding/event-columns.ts'
import { encodeEventPayment } from '../encoding/payment-snapshot.ts'
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
  const { payment, agreement } = event
  const columns = {
    position: place.position,
    stream_id: place.streamId,
    sequence: place.sequence,
    kind: encodeKind(event.kind),
    source: encodeSource(event.source),
    from_status: event.fromStatus,
    to_status: event.toStatus,
    link_ref: event.linkRef,
    payment_id: encodePaymentId(payment?.id ?? null, place.streamId),
    agreement_id: agreement?.id ?? null,
    recorded_at: fromIso(event.recordedAt),
  }
  await unit.db
    .insertInto('events')
    .values({
      ...columns,
      payment_json: payment === null ? null : encodeEventPayment(payment, columns),
      agreement_json: agreement === null ? null : encodeEventAgreement(agreement, columns),
    })
    .execute()
  unit.appended = true
  return eventId(place.streamId, place.sequence)
}
