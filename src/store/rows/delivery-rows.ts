import type { Selectable } from 'kysely'
import type { Delivery } from '../../domain/delivery.ts'
import type { Disposition } from '../../domain/payments/payment.ts'
import { type Flag, fromIso, type Numbering, type TableSpec, toIso } from './table.ts'

export type DeliveriesTable = {
  number: Numbering
  id: string
  ref: string | null
  subject_id: string | null
  status_raw: string | null
  disposition: Disposition
  attempts: number
  first_received_at: number
  last_received_at: number
  signed: Flag | null
  key_id: string | null
  event_id: string | null
  body: string | null
  headers_json: string | null
  stored_after_ms: number | null
}

/** What is kept of a pruned delivery, so that a repeat is recognised. */
export type PrunedDeliveryRow = { readonly id: string; readonly disposition: Disposition }

export const PRUNED_DELIVERIES: TableSpec<PrunedDeliveryRow, 'id'> = {
  name: 'pruned_deliveries',
  columns: { id: 'text', disposition: 'text' },
  keyOf: ({ id }) => id,
  lookups: { id: { columns: ['id'], keyOf: ({ id }) => id } },
  fromRow: ({ id, disposition }) => ({ id: String(id), disposition: disposition as Disposition }),
  toRow: ({ id, disposition }) => ({ id, disposition }),
}

/** A stored delivery. Its number is assigned by the database. */
export type DeliveryRow = Omit<Delivery, 'number'>

export const DELIVERIES: TableSpec<DeliveryRow, 'id'> = {
  name: 'deliveries',
  numbered: true,
  columns: {
    id: 'text',
    ref: 'text',
    subject_id: 'text',
    status_raw: 'text',
    disposition: 'text',
    attempts: 'integer',
    first_received_at: 'integer',
    last_received_at: 'integer',
    signed: 'integer',
    key_id: 'text',
    event_id: 'text',
    body: 'text',
    headers_json: 'text',
    stored_after_ms: 'integer',
  },
  keyOf: ({ id }) => id,
  lookups: { id: { columns: ['id'], keyOf: ({ id }) => id } },
  fromRow: (row) => toDelivery(row as unknown as StoredDelivery),
  toRow: (delivery) => ({
    id: delivery.id,
    ref: delivery.ref,
    subject_id: delivery.subjectId,
    status_raw: delivery.statusRaw,
    disposition: delivery.disposition,
    attempts: delivery.attempts,
    first_received_at: fromIso(delivery.firstReceivedAt),
    last_received_at: fromIso(delivery.lastReceivedAt),
    signed: delivery.signed === null ? null : Number(delivery.signed),
    key_id: delivery.keyId,
    event_id: delivery.eventId,
    body: delivery.body,
    headers_json: delivery.headers === null ? null : JSON.stringify(delivery.headers),
    stored_after_ms: delivery.storedAfterMs,
  }),
}

type StoredDelivery = Selectable<DeliveriesTable>

/** Returns the delivery of a row. */
export function toDelivery(row: StoredDelivery): Delivery {
  return {
    id: row.id,
    number: row.number,
    ref: row.ref,
    subjectId: row.subject_id,
    statusRaw: row.status_raw,
    disposition: row.disposition,
    attempts: row.attempts,
    firstReceivedAt: toIso(row.first_received_at),
    lastReceivedAt: toIso(row.last_received_at),
    signed: row.signed === null ? null : row.signed === 1,
    keyId: row.key_id,
    eventId: row.event_id,
    body: row.body,
    headers: row.headers_json === null ? null : (JSON.parse(row.headers_json) as Record<string, string>),
    storedAfterMs: row.stored_after_ms,
  }
}
