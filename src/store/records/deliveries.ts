import type { Disposition } from '../../domain/payment.ts'
import { deliveryKey, encodeBody, encodeEventId } from '../encoding/delivery-columns.ts'
import type { Arrival, DeliveryOutcome } from '../store.ts'
import type { Db } from '../unit.ts'

/** A delivery that is on record. */
export type StoredDelivery = { readonly id: string; readonly disposition: Disposition }

/** What a delivery speaks about; null where it cannot be read. */
export type Subject = { readonly id: string; readonly statusRaw: string } | null

/** The delivery that had these bytes, under any of these hashes. */
export async function findDelivery(db: Db, hashes: readonly string[]): Promise<StoredDelivery | null> {
  const found = await db
    .selectFrom('deliveries')
    .select(['id', 'disposition', 'number'])
    .where((eb) =>
      eb.or([
        eb('id', 'in', hashes.map(deliveryKey)),
        // Of an earlier version; an index of PostgreSQL holds these alone.
        eb.and([eb('body_hash', 'in', [...hashes]), eb('body_hash', '!=', eb.ref('id'))]),
      ]),
    )
    .execute()
  return found.toSorted((a, b) => a.number - b.number)[0] ?? null
}

/** Counts an attempt of a delivery that had come before. */
export async function countAttempt(db: Db, { id }: StoredDelivery, at: Date): Promise<void> {
  await db
    .updateTable('deliveries')
    .set((eb) => ({ attempts: eb('attempts', '+', 1), last_received_at: at.getTime() }))
    .where('id', '=', id)
    .execute()
}

/** Stores a delivery that came for the first time, with what became of it. */
export async function storeDelivery(
  db: Db,
  arrival: Arrival,
  subject: Subject,
  result: StoredDelivery & { readonly eventId: string | null },
): Promise<void> {
  const receivedAt = arrival.receivedAt.getTime()
  const columns = {
    ref: arrival.ref,
    subject_id: subject?.id ?? null,
    status_raw: subject?.statusRaw ?? null,
    disposition: result.disposition,
  }
  await db
    .insertInto('deliveries')
    .values({
      ...columns,
      id: result.id,
      body_hash: deliveryKey(arrival.bodyHashes[0]),
      attempts: 1,
      first_received_at: receivedAt,
      last_received_at: receivedAt,
      event_id: result.eventId === null ? null : encodeEventId(result.eventId, columns),
      body: arrival.body === null ? null : encodeBody(arrival.body, columns),
    })
    .execute()
}

/** Where what becomes of a delivery is written down. */
export type DeliveryRow = {
  readonly id: string
  save(subject: Subject, result: { disposition: Disposition; eventId: string | null }): Promise<void>
}

/** The row of a delivery that has just come in. */
export function newRow(db: Db, arrival: Arrival): DeliveryRow {
  const id = deliveryKey(arrival.bodyHashes[0])
  return { id, save: (subject, result) => storeDelivery(db, arrival, subject, { id, ...result }) }
}

/** The row of a delivery that is decided anew: when and how often it came stays as it is. */
export function existingRow(db: Db, id: string): DeliveryRow {
  return {
    id,
    async save(subject, { disposition, eventId }) {
      await db
        .updateTable('deliveries')
        .set({
          subject_id: subject?.id ?? null,
          status_raw: subject?.statusRaw ?? null,
          disposition,
          event_id: eventId,
        })
        .where('id', '=', id)
        .execute()
    },
  }
}

/** Keeps a delivery that is authentic and cannot be used. */
export async function quarantine(db: Db, arrival: Arrival, subject: Subject): Promise<DeliveryOutcome> {
  const result = { id: deliveryKey(arrival.bodyHashes[0]), disposition: 'QUARANTINED', eventId: null } as const
  await storeDelivery(db, arrival, subject, result)
  return { disposition: 'QUARANTINED', repeat: false, readDue: false }
}

/** What the latest usable delivery at an address spoke about. */
export async function subjectOf(db: Db, ref: string): Promise<string | null> {
  const row = await db
    .selectFrom('deliveries')
    .select('subject_id')
    .where('ref', '=', ref)
    .where('subject_id', 'is not', null)
    .where('disposition', '!=', 'QUARANTINED')
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.subject_id ?? null
}
