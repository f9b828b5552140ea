import type { PaymentEvent, PaymentEventKind } from '../../domain/events/payment-event.ts'
import { gatewayStreamId, isGatewayKind, isGatewayStream } from '../../domain/gateway/gateway-payment.ts'
import { isPayoutKind, isPayoutStream, payoutStreamId } from '../../domain/payouts/payout.ts'
import type { Db } from '../group-commit.ts'
import type { EventFilter } from '../port.ts'
import { GATEWAY_PAYMENT_EVENTS, PAYOUT_EVENTS } from '../rows/log-rows.ts'
import type { TableSpec } from '../rows/table.ts'

/** A stream that contains events of a filter, with the conditions that select them. */
export type StreamOfEvents = {
  readonly streamId: string
  /** Per column, the values that match. */
  readonly only: readonly { readonly column: Subject; readonly values: readonly string[] }[]
}

type Subject = 'payment_id' | 'link_ref' | 'agreement_id'

/** One condition of a filter: its values by the streams that contain them. A null column adds no condition on events. */
type Condition = { readonly column: Subject | null; readonly streams: ReadonlyMap<string, readonly string[]> }

/**
 * Returns the streams that contain all events about the subjects of a filter; null if it names none. All events of a payment, link or
 * agreement are in the stream of its first event.
 */
export async function findStreams(db: Db, filter: EventFilter): Promise<StreamOfEvents[] | null> {
  const conditions: Condition[] = []
  let common: string[] | null = null
  for (const look of lookUps(db, filter)) {
    const condition = await look()
    conditions.push(condition)
    common = (common ?? [...condition.streams.keys()]).filter((id) => condition.streams.has(id))
    if (common.length === 0) return []
  }
  if (common === null) return null
  return common.map((streamId) => ({
    streamId,
    only: conditions.flatMap(({ column, streams }) =>
      column === null ? [] : [{ column, values: streams.get(streamId) ?? [] }],
    ),
  }))
}

/** Returns a lookup per subject kind of the filter. Links come last: payments share more streams with them than with agreements. */
function lookUps(db: Db, filter: EventFilter): (() => Promise<Condition>)[] {
  const { streamIds, paymentIds, linkIds, agreementIds } = filter
  const found: (() => Promise<Condition>)[] = []
  if (streamIds !== undefined)
    found.push(async () => ({ column: null, streams: new Map(streamIds.map((id) => [id, []])) }))
  if (agreementIds !== undefined) found.push(async () => by('agreement_id', await ofAgreements(db, agreementIds)))
  if (paymentIds !== undefined) found.push(async () => by('payment_id', await ofPayments(db, paymentIds)))
  if (linkIds !== undefined) found.push(async () => by('link_ref', await ofLinks(db, linkIds)))
  return found
}

type Found = { readonly stream_id: string; readonly value: string }

function by(column: Subject, found: readonly Found[]): Condition {
  const streams = new Map<string, string[]>()
  for (const { stream_id: id, value } of found) streams.set(id, [...new Set([...(streams.get(id) ?? []), value])])
  return { column, streams }
}

async function ofPayments(db: Db, ids: readonly string[]): Promise<Found[]> {
  return db.selectFrom('payments').select(['stream_id', 'id as value']).where('id', 'in', ids).execute()
}

/** Returns each link's own stream, and those of payments that were assigned to it after their first event. */
async function ofLinks(db: Db, ids: readonly string[]): Promise<Found[]> {
  const links = await db.selectFrom('links').select(['stream_id', 'ref as value']).where('id', 'in', ids).execute()
  if (links.length === 0) return []
  const refs = links.map(({ value }) => value)
  const payments = await db
    .selectFrom('payments')
    .select(['stream_id', (eb) => eb.ref('link_ref').$notNull().as('value')])
    .where('link_ref', 'in', refs)
    .execute()
  return [...links, ...payments]
}

async function ofAgreements(db: Db, ids: readonly string[]): Promise<Found[]> {
  return db.selectFrom('agreements').select(['stream_id', 'id as value']).where('id', 'in', ids).execute()
}

/** The events of one kind of subject, which are in a table of their own. */
export type SubjectLog = {
  readonly table: 'payout_events' | 'gateway_payment_events'
  readonly spec: TableSpec<PaymentEvent, never>
  /** The column that contains the subject; null in no row. */
  readonly subject: string
  /** The condition of a filter that names subjects. */
  readonly ids: 'payoutIds' | 'gatewayPaymentIds'
  readonly streamOf: (id: string) => string
  readonly isStream: (streamId: string) => boolean
  readonly isKind: (kind: string) => boolean
}

export const SUBJECT_LOGS: readonly SubjectLog[] = [
  {
    table: 'payout_events',
    spec: PAYOUT_EVENTS,
    subject: 'payout_json',
    ids: 'payoutIds',
    streamOf: payoutStreamId,
    isStream: isPayoutStream,
    isKind: isPayoutKind,
  },
  {
    table: 'gateway_payment_events',
    spec: GATEWAY_PAYMENT_EVENTS,
    subject: 'gateway_payment_json',
    ids: 'gatewayPaymentIds',
    streamOf: gatewayStreamId,
    isStream: isGatewayStream,
    isKind: isGatewayKind,
  },
]

/** The conditions that apply to the events of such a subject. */
export type SubjectEventFilter = Pick<EventFilter, 'streamIds' | 'kinds'>

/** The filter for each table that may have matching events. `log` is null for the table of all other events. */
type TableFilter =
  | { readonly log: null; readonly filter: EventFilter }
  | { readonly log: SubjectLog; readonly filter: SubjectEventFilter }

/** Returns the tables that may have matching events, each with its part of the filter. */
export function byTable(filter: EventFilter): readonly TableFilter[] {
  const { streamIds, kinds, payoutIds: _payouts, gatewayPaymentIds: _gatewayPayments, ...subjects } = filter
  const isOfOthers = Object.keys(subjects).length > 0
  const named = SUBJECT_LOGS.filter(({ ids }) => filter[ids] !== undefined)
  const ofSubjects = SUBJECT_LOGS.flatMap((log): TableFilter[] => {
    if (isOfOthers || named.some((other) => other !== log)) return []
    const only = {
      streamIds: both(streamIds?.filter(log.isStream), filter[log.ids]?.map(log.streamOf)),
      kinds: kinds?.filter(log.isKind),
    }
    return isNone(only) ? [] : [{ log, filter: given(only) }]
  })
  const rest = {
    streamIds: streamIds?.filter((id) => subjectLogOf(id) === null),
    kinds: kinds?.filter((kind) => !SUBJECT_LOGS.some(({ isKind }) => isKind(kind))),
  }
  const ofOthers = named.length > 0 || isNone(rest) ? [] : [{ log: null, filter: { ...subjects, ...given(rest) } }]
  return [...ofOthers, ...ofSubjects]
}

/** Returns the table of the events of a stream; null for that of all others. */
export function subjectLogOf(streamId: string): SubjectLog | null {
  return SUBJECT_LOGS.find(({ isStream }) => isStream(streamId)) ?? null
}

/** Returns the values that are in both lists; an absent list has all. */
function both(some?: readonly string[], others?: readonly string[]): readonly string[] | undefined {
  if (some === undefined || others === undefined) return some ?? others
  return some.filter((value) => others.includes(value))
}

type Lists = {
  readonly streamIds: readonly string[] | undefined
  readonly kinds: readonly PaymentEventKind[] | undefined
}

function isNone({ streamIds, kinds }: Lists): boolean {
  return streamIds?.length === 0 || kinds?.length === 0
}

function given({ streamIds, kinds }: Lists): SubjectEventFilter {
  return { ...(streamIds === undefined ? {} : { streamIds }), ...(kinds === undefined ? {} : { kinds }) }
}
