import type { Delivery } from '../../domain/delivery.ts'
import { eventId, type PaymentEvent } from '../../domain/payment-event.ts'
import { toAgreement } from './agreements.ts'
import { fromIso, toIso } from './instants.ts'
import { toPayment } from './payments.ts'
import type { StoredRow, TableSpec } from './table.ts'

export type EventRow = {
  readonly event: PaymentEvent
  /** The delivery that caused it. */
  readonly deliveryId: string | null
}

export const EVENTS: TableSpec<EventRow, never> = {
  name: 'events',
  columns: {
    position: 'integer',
    stream_id: 'text',
    sequence: 'integer',
    kind: 'text',
    source: 'text',
    from_status: 'text',
    to_status: 'text',
    link_ref: 'text',
    payment_id: 'text',
    agreement_id: 'text',
    payment_json: 'text',
    agreement_json: 'text',
    recorded_at: 'integer',
    delivery_id: 'text',
  },
  keyOf: ({ event }) => event.id,
  lookups: {},
  fromRow: (row) => ({ event: toEvent(row), deliveryId: row['delivery_id'] as string | null }),
  toRow: ({ event, deliveryId }) => ({
    position: event.position,
    stream_id: event.streamId,
    sequence: event.sequence,
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
    delivery_id: deliveryId,
  }),
}

/** Reads an event out of its row. */
export function toEvent(row: StoredRow): PaymentEvent {
  const streamId = String(row['stream_id'])
  const sequence = Number(row['sequence'])
  const payment = row['payment_json']
  const agreement = row['agreement_json']
  return {
    id: eventId(streamId, sequence),
    streamId,
    sequence,
    position: Number(row['position']),
    kind: row['kind'] as PaymentEvent['kind'],
    source: row['source'] as PaymentEvent['source'],
    fromStatus: row['from_status'] as string | null,
    toStatus: row['to_status'] as string | null,
    linkRef: row['link_ref'] as string | null,
    payment: typeof payment === 'string' ? toPayment(payment) : null,
    agreement: typeof agreement === 'string' ? toAgreement(agreement) : null,
    recordedAt: toIso(Number(row['recorded_at'])),
  }
}

/** Position of the last event of the whole log. */
export type LogHeadRow = { readonly position: number }

/** The one row of a table that has only one. */
export const ONLY = '1'

export const LOG_HEAD: TableSpec<LogHeadRow, 'id'> = {
  name: 'log_head',
  columns: { id: 'integer', position: 'integer' },
  keyOf: () => ONLY,
  lookups: { id: { columns: ['id'], keyOf: () => ONLY } },
  fromRow: ({ position }) => ({ position: Number(position) }),
  toRow: ({ position }) => ({ id: Number(ONLY), position }),
}

/** Sequence of the last event of a stream; a stream without events has no row. */
export type StreamRow = { readonly id: string; readonly sequence: number }

export const STREAMS: TableSpec<StreamRow, 'id'> = {
  name: 'events',
  columns: { stream_id: 'text', sequence: 'integer' },
  derived: { select: 'stream_id, max(sequence) AS sequence', groupBy: 'stream_id' },
  keyOf: ({ id }) => id,
  lookups: { id: { columns: ['stream_id'], keyOf: ({ id }) => id } },
  fromRow: ({ stream_id: id, sequence }) => ({ id: String(id), sequence: Number(sequence) }),
  toRow: ({ id, sequence }) => ({ stream_id: id, sequence }),
}

/** A delivery as it is stored; its number is given by the database. */
export type DeliveryRow = Omit<Delivery, 'number'> & {
  /** Keyed hash of the raw body at its address. */
  readonly bodyHash: string
}

export const DELIVERIES: TableSpec<DeliveryRow, 'id' | 'bodyHash'> = {
  name: 'deliveries',
  numbered: true,
  columns: {
    id: 'text',
    body_hash: 'text',
    ref: 'text',
    subject_id: 'text',
    status_raw: 'text',
    disposition: 'text',
    attempts: 'integer',
    first_received_at: 'integer',
    last_received_at: 'integer',
    event_id: 'text',
    body: 'text',
  },
  keyOf: ({ id }) => id,
  lookups: {
    id: { columns: ['id'], keyOf: ({ id }) => id },
    bodyHash: { columns: ['body_hash'], keyOf: ({ bodyHash }) => bodyHash },
  },
  fromRow: (row) => ({ ...toDelivery(row), bodyHash: String(row['body_hash']) }),
  toRow: (delivery) => ({
    id: delivery.id,
    body_hash: delivery.bodyHash,
    ref: delivery.ref,
    subject_id: delivery.subjectId,
    status_raw: delivery.statusRaw,
    disposition: delivery.disposition,
    attempts: delivery.attempts,
    first_received_at: fromIso(delivery.firstReceivedAt),
    last_received_at: fromIso(delivery.lastReceivedAt),
    event_id: delivery.eventId,
    body: delivery.body,
  }),
}

/** Reads a delivery out of its row. */
export function toDelivery(row: StoredRow): Delivery {
  return {
    id: String(row['id']),
    number: Number(row['number']),
    ref: row['ref'] as string | null,
    subjectId: row['subject_id'] as string | null,
    statusRaw: row['status_raw'] as string | null,
    disposition: row['disposition'] as Delivery['disposition'],
    attempts: Number(row['attempts']),
    firstReceivedAt: toIso(Number(row['first_received_at'])),
    lastReceivedAt: toIso(Number(row['last_received_at'])),
    eventId: row['event_id'] as string | null,
    body: row['body'] as string | null,
  }
}
