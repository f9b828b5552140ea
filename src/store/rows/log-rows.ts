import type { Selectable } from 'kysely'
import {
  type EventSource,
  eventId,
  type PaymentEvent,
  type PaymentEventKind,
} from '../../domain/events/payment-event.ts'
import type { GatewayPayment } from '../../domain/gateway/gateway-payment.ts'
import type { Payout } from '../../domain/payouts/payout.ts'
import { toAgreement } from './agreement-rows.ts'
import { paymentJson, toPayment } from './payment-rows.ts'
import { fromIso, toIso, type TableSpec, type StoredRow } from './table.ts'

export type EventsTable = {
  position: number
  stream_id: string
  sequence: number
  kind: string
  source: EventSource
  from_status: string | null
  to_status: string | null
  link_ref: string | null
  payment_id: string | null
  agreement_id: string | null
  payment_json: string | null
  agreement_json: string | null
  recorded_at: number
  requested_by: string | null
}

/** All events but those of payouts and gateway payments, which have `PAYOUT_EVENTS` and `GATEWAY_PAYMENT_EVENTS`. */
export const EVENTS: TableSpec<PaymentEvent, never> = {
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
    recorded_at: 'integer',
    requested_by: 'text',
    payment_json: 'text',
    agreement_json: 'text',
  },
  keyOf: ({ id }) => id,
  lookups: {},
  fromRow: (row) => toEvent(row as unknown as StoredEvent),
  toRow({ payment, agreement, ...event }) {
    const columns = {
      position: event.position,
      stream_id: event.streamId,
      sequence: event.sequence,
      kind: event.kind,
      source: event.source,
      from_status: event.fromStatus,
      to_status: event.toStatus,
      link_ref: event.linkRef,
      payment_id: payment?.id ?? null,
      agreement_id: agreement?.id ?? null,
      recorded_at: fromIso(event.recordedAt),
      requested_by: event.requestedBy,
    }
    return {
      ...columns,
      payment_json: payment === null ? null : paymentJson(payment, toldBy(columns)),
      agreement_json: agreement === null ? null : JSON.stringify(agreement),
    }
  },
}

type StoredEvent = Selectable<EventsTable>

/** Returns the facts of a payment that the columns of its event tell, unless the payment itself has others. */
function toldBy(
  row: Pick<StoredEvent, 'stream_id' | 'sequence' | 'link_ref' | 'payment_id' | 'to_status' | 'recorded_at'>,
) {
  return {
    id: row.payment_id ?? '',
    streamId: row.stream_id,
    linkRef: row.link_ref,
    version: row.sequence,
    statusRaw: row.to_status ?? '',
    updatedAt: toIso(row.recorded_at),
  }
}

const KINDS: Readonly<Record<PaymentEventKind, true>> = {
  LINK_CREATED: true,
  LINK_EXPIRED: true,
  PAYMENT_STATUS_CHANGED: true,
  PAYMENT_DETAILS_CHANGED: true,
  DUPLICATE_PAYMENT_FOUND: true,
  DUPLICATE_PAYMENT_RESOLVED: true,
  PAYMENT_CONFIRMED: true,
  AGREEMENT_CREATED: true,
  AGREEMENT_STATUS_CHANGED: true,
  AGREEMENT_AMENDED: true,
  PAYOUT_CREATED: true,
  PAYOUT_STATUS_CHANGED: true,
  PAYOUT_DETAILS_CHANGED: true,
  GATEWAY_PAYMENT_CREATED: true,
  GATEWAY_PAYMENT_STATUS_CHANGED: true,
  GATEWAY_PAYMENT_DETAILS_CHANGED: true,
  OTHER: true,
}

/** Returns the kind of a row; `OTHER` if only a later version knows it. */
function toKind(stored: string): PaymentEventKind {
  return Object.hasOwn(KINDS, stored) ? (stored as PaymentEventKind) : 'OTHER'
}

/** Returns the event of a row. */
function toEvent(row: StoredEvent): PaymentEvent {
  return {
    id: eventId(row.stream_id, row.sequence),
    streamId: row.stream_id,
    sequence: row.sequence,
    position: row.position,
    kind: toKind(row.kind),
    source: row.source,
    requestedBy: row.requested_by,
    fromStatus: row.from_status,
    toStatus: row.to_status,
    linkRef: row.link_ref,
    payment: row.payment_json === null ? null : toPayment(row.payment_json, toldBy(row)),
    agreement: row.agreement_json === null ? null : toAgreement(row.agreement_json),
    payout: null,
    gatewayPayment: null,
    recordedAt: toIso(row.recorded_at),
  }
}

/** Position of the last event of the whole log. */
export type LogHeadRow = { readonly position: number }

/** The key of the row in tables with one row. */
export const ONLY = '1'

export const LOG_HEAD: TableSpec<LogHeadRow, 'id'> = {
  name: 'log_head',
  columns: { id: 'integer', position: 'integer' },
  keyOf: () => ONLY,
  lookups: { id: { columns: ['id'], keyOf: () => ONLY } },
  fromRow: ({ position }) => ({ position: Number(position) }),
  toRow: ({ position }) => ({ id: Number(ONLY), position }),
}

/** Sequence of the last event of a stream, also if it has been pruned; a stream without events has no row. */
export type StreamRow = { readonly id: string; readonly sequence: number }

export const STREAMS: TableSpec<StreamRow, 'id'> = {
  name: 'stream_sequences',
  columns: { stream_id: 'text', sequence: 'integer' },
  derived: { select: 'stream_id, max(sequence) AS sequence', groupBy: 'stream_id' },
  keyOf: ({ id }) => id,
  lookups: { id: { columns: ['stream_id'], keyOf: ({ id }) => id } },
  fromRow: ({ stream_id: id, sequence }) => ({ id: String(id), sequence: Number(sequence) }),
  toRow: ({ id, sequence }) => ({ stream_id: id, sequence }),
}

/** A table of the events of one kind of subject; `Column` contains the subject after the event. */
export type SubjectEventsTable<Column extends string> = {
  position: number
  stream_id: string
  sequence: number
  kind: string
  source: EventSource
  from_status: string | null
  to_status: string
  recorded_at: number
  requested_by: string | null
} & Record<Column, string>

export type PayoutEventsTable = SubjectEventsTable<'payout_json'>
export type GatewayPaymentEventsTable = SubjectEventsTable<'gateway_payment_json'>

/** The events of payouts and of gateway payments, each in a table of its own. */
export const PAYOUT_EVENTS = subjectEvents('payout_events', 'payout', 'payout_json')
export const GATEWAY_PAYMENT_EVENTS = subjectEvents('gateway_payment_events', 'gatewayPayment', 'gateway_payment_json')

export type SubjectEventsName = 'payout_events' | 'gateway_payment_events'

type Subject = 'payout' | 'gatewayPayment'

function subjectEvents(name: SubjectEventsName, subject: Subject, column: string): TableSpec<PaymentEvent, never> {
  return {
    name,
    columns: {
      position: 'integer',
      stream_id: 'text',
      sequence: 'integer',
      kind: 'text',
      source: 'text',
      from_status: 'text',
      to_status: 'text',
      [column]: 'text',
      recorded_at: 'integer',
      requested_by: 'text',
    },
    keyOf: ({ id }) => id,
    lookups: {},
    fromRow: (row) => toSubjectEvent(row, subject, column),
    toRow: (event) => ({
      position: event.position,
      stream_id: event.streamId,
      sequence: event.sequence,
      kind: event.kind,
      source: event.source,
      from_status: event.fromStatus,
      to_status: event.toStatus,
      [column]: JSON.stringify(event[subject]),
      recorded_at: fromIso(event.recordedAt),
      requested_by: event.requestedBy,
    }),
  }
}

function toSubjectEvent(row: StoredRow, subject: Subject, column: string): PaymentEvent {
  const stored = row as unknown as Omit<PayoutEventsTable, 'payout_json'>
  return {
    id: eventId(stored.stream_id, stored.sequence),
    streamId: stored.stream_id,
    sequence: stored.sequence,
    position: stored.position,
    kind: toKind(stored.kind),
    source: stored.source,
    requestedBy: stored.requested_by,
    fromStatus: stored.from_status,
    toStatus: stored.to_status,
    linkRef: null,
    payment: null,
    agreement: null,
    payout: null,
    gatewayPayment: null,
    [subject]: JSON.parse(String(row[column])) as Payout | GatewayPayment,
    recordedAt: toIso(stored.recorded_at),
  }
}
