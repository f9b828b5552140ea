import type { SettledGatewayCreation } from '../../domain/gateway/gateway-decisions.ts'
import { eventId, type PaymentEvent } from '../../domain/payments/payment-event.ts'
import { decodeKind, decodeSource, encodeKind, encodeSource } from '../encoding/event-columns.ts'
import { decodeEventSubject, encodeEventSubject } from '../encoding/subject-snapshot.ts'
import { fromIso, toIso } from './read-plan-columns.ts'
import type { StoredRow, TableSpec } from './table.ts'

/** A table of the events of one kind of subject; `Column` contains the subject after the event. */
export type SubjectEventsTable<Column extends string> = {
  position: number
  stream_id: string
  sequence: number
  /** A code, like `source`: see `encoding/event-columns.ts`. */
  kind: string
  source: string
  from_status: string | null
  to_status: string
  recorded_at: number
} & Record<Column, string>

export type PayoutEventsTable = SubjectEventsTable<'payout_json'>
export type GatewayPaymentEventsTable = SubjectEventsTable<'gateway_payment_json'>

/** The events of payouts and of gateway payments, each in a table of its own, which the last release does not read. */
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
    },
    keyOf: ({ id }) => id,
    lookups: {},
    fromRow: (row) => toSubjectEvent(row, subject, column),
    toRow(event) {
      const state = event[subject]
      return {
        position: event.position,
        stream_id: event.streamId,
        sequence: event.sequence,
        kind: encodeKind(event.kind),
        source: encodeSource(event.source),
        from_status: event.fromStatus,
        to_status: event.toStatus,
        [column]: state === null ? JSON.stringify(event.gatewayCreation) : encodeEventSubject(state),
        recorded_at: fromIso(event.recordedAt),
      }
    },
  }
}

/** The event that settles a creation contains the creation, since there is no gateway payment. */
function subjectOf(text: string, subject: Subject, stored: Omit<PayoutEventsTable, 'payout_json'>) {
  return stored.kind === NOT_CREATED
    ? { gatewayCreation: JSON.parse(text) as SettledGatewayCreation }
    : { [subject]: decodeEventSubject(text, stored) }
}

const NOT_CREATED = encodeKind('GATEWAY_PAYMENT_NOT_CREATED')

function toSubjectEvent(row: StoredRow, subject: Subject, column: string): PaymentEvent {
  const stored = row as unknown as Omit<PayoutEventsTable, 'payout_json'>
  return {
    id: eventId(stored.stream_id, stored.sequence),
    streamId: stored.stream_id,
    sequence: stored.sequence,
    position: stored.position,
    kind: decodeKind(stored.kind),
    source: decodeSource(stored.source),
    fromStatus: stored.from_status,
    toStatus: stored.to_status,
    linkRef: null,
    payment: null,
    agreement: null,
    payout: null,
    gatewayPayment: null,
    ...subjectOf(String(row[column]), subject, stored),
    recordedAt: toIso(stored.recorded_at),
  }
}
