import type { Selectable } from 'kysely'
import type { Agreement } from '../../domain/agreements/agreement.ts'
import type { Delivery } from '../../domain/delivery.ts'
import {
  type EventSource,
  eventId,
  type PaymentEvent,
  type PaymentEventKind,
} from '../../domain/events/payment-event.ts'
import type { GatewayPayment } from '../../domain/gateway/gateway-payment.ts'
import type { Disposition } from '../../domain/payments/payment.ts'
import type { Payout } from '../../domain/payouts/payout.ts'
import {
  type Column,
  type Columns,
  type FieldsSpec,
  flagOrNull,
  instant,
  integer,
  json,
  jsonOrNull,
  named,
  reshaped,
  type RowOf,
  type TableOf,
  tableOf,
  text,
} from './columns.ts'
import { paymentJson, toPayment } from './payment-rows.ts'
import { fromIso, toIso, type Numbering, type TableSpec } from './table.ts'

const KINDS: Readonly<Record<PaymentEventKind, true>> = {
  LINK_CREATED: true,
  LINK_EXPIRED: true,
  PAYMENT_STATUS_CHANGED: true,
  PAYMENT_DETAILS_CHANGED: true,
  DUPLICATE_PAYMENT_FOUND: true,
  DUPLICATE_PAYMENT_RESOLVED: true,
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

/** The kind of an event; `OTHER` if only a later version knows it. */
const kind: Column<PaymentEventKind, string> = { ...text<PaymentEventKind>(), read: (stored) => toKind(String(stored)) }

/** What all tables of events have. */
const EVENT = {
  position: integer(),
  streamId: text(),
  sequence: integer(),
  kind,
  source: text<EventSource>(),
  fromStatus: text<string | null>(),
  toStatus: text<string | null>(),
  recordedAt: instant,
}

const events = tableOf(
  'events',
  {
    ...EVENT,
    linkRef: text<string | null>(),
    paymentId: text<string | null>(),
    agreementId: text<string | null>(),
    paymentJson: text<string | null>(),
    agreement: named('agreement_json', jsonOrNull<Agreement>()),
  },
  ['position'],
)

export type EventsTable = TableOf<typeof events.fields>

type StoredEvent = RowOf<typeof events.fields>

/** Returns the facts of a payment that the columns of its event tell, unless the payment itself has others. */
function toldBy(event: Pick<StoredEvent, 'streamId' | 'sequence' | 'linkRef' | 'toStatus' | 'recordedAt'>, id: string) {
  const { streamId, linkRef, sequence: version, toStatus, recordedAt: updatedAt } = event
  return { id, streamId, linkRef, version, statusRaw: toStatus ?? '', updatedAt }
}

/** All events but those of payouts and gateway payments, which have `PAYOUT_EVENTS` and `GATEWAY_PAYMENT_EVENTS`. */
export const EVENTS: TableSpec<PaymentEvent, never> = {
  ...events,
  keyOf: ({ id }) => id,
  lookups: {},
  fromRow(row) {
    const { paymentId, agreementId: _id, paymentJson: stored, ...event } = events.fromRow(row)
    const payment = stored === null ? null : toPayment(stored, toldBy(event, paymentId ?? ''))
    return { ...NO_SUBJECT, ...event, id: eventId(event.streamId, event.sequence), payment }
  },
  toRow(event) {
    const { payment, agreement, recordedAt } = event
    const told = (id: string) => toldBy({ ...event, recordedAt: toIso(fromIso(recordedAt)) }, id)
    return events.toRow({
      ...event,
      paymentId: payment?.id ?? null,
      agreementId: agreement?.id ?? null,
      paymentJson: payment === null ? null : paymentJson(payment, told(payment.id)),
    })
  },
}

const NO_SUBJECT = { linkRef: null, payment: null, agreement: null, payout: null, gatewayPayment: null }

const payoutEvents = tableOf('payout_events', { ...EVENT, payout: named('payout_json', json<Payout | null>()) }, [
  'position',
])
const gatewayPaymentEvents = tableOf(
  'gateway_payment_events',
  { ...EVENT, gatewayPayment: named('gateway_payment_json', json<GatewayPayment | null>()) },
  ['position'],
)

export type PayoutEventsTable = TableOf<typeof payoutEvents.fields>
export type GatewayPaymentEventsTable = TableOf<typeof gatewayPaymentEvents.fields>

/** The events of payouts and of gateway payments, each in a table of its own. */
export const PAYOUT_EVENTS = subjectEvents(payoutEvents)
export const GATEWAY_PAYMENT_EVENTS = subjectEvents(gatewayPaymentEvents)

function subjectEvents<Fields extends Columns & typeof EVENT>(
  spec: FieldsSpec<Fields, 'position'>,
): TableSpec<PaymentEvent, never> {
  return {
    ...spec,
    keyOf: ({ id }) => id,
    lookups: {},
    fromRow(row) {
      const event = spec.fromRow(row) as RowOf<typeof EVENT>
      return { ...NO_SUBJECT, ...event, id: eventId(event.streamId, event.sequence) }
    },
    toRow: (event) => spec.toRow(event as unknown as RowOf<Fields>),
  }
}

/** The key of the row in tables with one row. */
export const ONLY = '1'

const logHead = tableOf('log_head', { id: integer(), position: integer() }, ['id'])

/** Position of the last event of the whole log. */
export const LOG_HEAD: TableSpec<{ readonly position: number }, 'id'> = reshaped(
  logHead,
  ({ position }) => ({ id: Number(ONLY), position }),
  (row) => row,
)

/** Sequence of the last event of a stream, also if it has been pruned; a stream without events has no row. */
export const STREAMS = {
  ...tableOf('stream_sequences', { id: named('stream_id', text()), sequence: integer() }, ['id']),
  derived: { select: 'stream_id, max(sequence) AS sequence', groupBy: 'stream_id' },
}

/** What is kept of a pruned delivery, so that a repeat is recognised. */
export const PRUNED_DELIVERIES = tableOf('pruned_deliveries', { id: text(), disposition: text<Disposition>() }, ['id'])

/** Stored deliveries. Their numbers are assigned by the database. */
export const DELIVERIES = {
  ...tableOf(
    'deliveries',
    {
      id: text(),
      ref: text<string | null>(),
      subjectId: text<string | null>(),
      statusRaw: text<string | null>(),
      disposition: text<Disposition>(),
      attempts: integer(),
      firstReceivedAt: instant,
      lastReceivedAt: instant,
      signed: flagOrNull,
      keyId: text<string | null>(),
      eventId: text<string | null>(),
      body: text<string | null>(),
    },
    ['id'],
  ),
  numbered: true,
}

export type DeliveryRow = RowOf<typeof DELIVERIES.fields>
export type DeliveriesTable = TableOf<typeof DELIVERIES.fields> & { number: Numbering }

/** Returns the delivery of a row. */
export function toDelivery(row: Selectable<DeliveriesTable>): Delivery {
  return { number: row.number, ...DELIVERIES.fromRow(row) }
}
