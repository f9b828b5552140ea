import { gatewayStreamId, isGatewayKind, isGatewayStream } from '../../domain/gateway/gateway-payment.ts'
import type { PaymentEvent, PaymentEventKind } from '../../domain/payments/payment-event.ts'
import { isPayoutKind, isPayoutStream, payoutStreamId } from '../../domain/payouts/payout.ts'
import { GATEWAY_PAYMENT_EVENTS, PAYOUT_EVENTS, type SubjectEventsName } from '../rows/subject-event-rows.ts'
import type { TableSpec } from '../rows/table.ts'
import type { EventFilter } from '../store.ts'

/** The events of one kind of subject, which are in a table of their own. */
export type SubjectLog = {
  readonly table: SubjectEventsName
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
export type TableFilter =
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
