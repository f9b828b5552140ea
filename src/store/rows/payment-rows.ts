import type { Generated } from 'kysely'
import { directPaymentStreamId } from '../../domain/payments/payment-link.ts'
import {
  factsOf,
  type Payer,
  type PaymentDetails,
  type PaymentPhase,
  type PaymentStatus,
  recogniseStatus,
} from '../../domain/payments/payment-report.ts'
import type { Payment } from '../../domain/payments/payment.ts'
import type { ReadPlan } from '../../domain/reads/read-schedule.ts'
import {
  fromIso,
  PLAN_COLUMNS,
  planColumns,
  planOf,
  type PlanTable,
  type Flag,
  type Numbering,
  type TableSpec,
} from './table.ts'

export type PaymentsTable = PlanTable & {
  number: Numbering
  id: string
  stream_id: string
  link_ref: string | null
  named_link_id: string | null
  state_json: string
  status: PaymentStatus | null
  phase: PaymentPhase
  rank: number
  /** Null, like `amount`, until both are known. */
  currency: string | null
  amount: string | null
  card_last4: string | null
  method_code: string | null
  owner_id: string | null
  reference: string | null
  /** The reference of its link or payin, if the payment itself has another one or none. */
  other_reference: string | null
  created_at: number
  updated_at: number
  deliveries: Generated<number>
  /** See `readSiteOf`. */
  read_site: string
  provisional: Flag
  duplicate: Generated<Flag>
  paid_after_ms: number | null
}

export type PayersTable = {
  payment_id: string
  name: string | null
  email: string | null
  card_token: string | null
  erased: Generated<Flag>
}

export type PaymentRow = {
  readonly state: Payment
  /** Upstream uuid of the link in the latest report that names one. */
  readonly namedLinkId: string | null
  /** The reference of its link or payin, if the payment itself has another one or none. */
  readonly otherReference: string | null
  /** The code that the payments API names; otherwise that of its link or payin. */
  readonly methodCode: string | null
  /** The owner of its link or payin. */
  readonly ownerId: string | null
  /** See `readSiteOf`. */
  readonly readSite: string
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  /** Deliveries and responses recorded so far. */
  readonly deliveries: number
  /** It is a duplicate that is not resolved. */
  readonly duplicate: boolean
  /** Milliseconds from the creation of its link to the record of its payment; null if it was not paid through a link that was known by then. */
  readonly paidAfterMs: number | null
  readonly plan: ReadPlan
}

export const PAYMENTS: TableSpec<PaymentRow, 'id' | 'linkRef' | 'namedLinkId'> = {
  name: 'payments',
  numbered: true,
  columns: {
    id: 'text',
    stream_id: 'text',
    link_ref: 'text',
    named_link_id: 'text',
    state_json: 'text',
    status: 'text',
    phase: 'text',
    rank: 'integer',
    currency: 'text',
    amount: 'text',
    card_last4: 'text',
    method_code: 'text',
    owner_id: 'text',
    reference: 'text',
    other_reference: 'text',
    created_at: 'integer',
    updated_at: 'integer',
    deliveries: 'integer',
    ...PLAN_COLUMNS,
    read_site: 'text',
    provisional: 'integer',
    duplicate: 'integer',
    paid_after_ms: 'integer',
  },
  keyOf: ({ state }) => state.id,
  lookups: {
    id: { columns: ['id'], keyOf: ({ state }) => state.id },
    linkRef: { columns: ['link_ref'], keyOf: ({ state }) => state.linkRef },
    namedLinkId: { columns: ['named_link_id'], keyOf: ({ namedLinkId }) => namedLinkId },
  },
  fromRow: (row) => ({
    state: toPayment(String(row['state_json'])),
    namedLinkId: row['named_link_id'] as string | null,
    otherReference: row['other_reference'] as string | null,
    methodCode: row['method_code'] as string | null,
    ownerId: row['owner_id'] as string | null,
    readSite: String(row['read_site']),
    createdAt: Number(row['created_at']),
    deliveries: Number(row['deliveries']),
    duplicate: row['duplicate'] === 1,
    paidAfterMs: row['paid_after_ms'] as number | null,
    plan: planOf(row),
  }),
  toRow: ({ state, namedLinkId, otherReference, readSite, createdAt, deliveries, duplicate, plan, ...made }) => ({
    id: state.id,
    stream_id: state.streamId,
    link_ref: state.linkRef,
    named_link_id: namedLinkId,
    state_json: paymentJson(state),
    status: state.status,
    phase: state.phase,
    rank: state.rank,
    currency: state.details.amount === null ? null : state.details.currency,
    amount: state.details.currency === null ? null : state.details.amount,
    card_last4: state.details.card?.last4 ?? null,
    method_code: made.methodCode,
    owner_id: made.ownerId,
    reference: state.details.reference,
    other_reference: otherReference,
    created_at: createdAt,
    updated_at: fromIso(state.updatedAt),
    deliveries,
    ...planColumns(plan),
    read_site: readSite,
    provisional: state.provisional ? 1 : 0,
    duplicate: duplicate ? 1 : 0,
    paid_after_ms: made.paidAfterMs,
  }),
}

/** The facts of a payment that other columns of its row tell. */
type Told = Partial<Payment>

/** Returns the facts that a payment nearly always has with these, so that they are left out of its text. */
function usual({ id, statusRaw }: Pick<Payment, 'id' | 'statusRaw'>): Told {
  const status = recogniseStatus(statusRaw)
  const { phase, rank } = factsOf(status ?? 'pending')
  return { streamId: directPaymentStreamId(id), linkRef: null, status, phase, rank, provisional: false }
}

/** Returns the text of a column with a payment, without what is told beside it, what is as usual, and the details that are not known. */
export function paymentJson(payment: Payment, told: Told = {}): string {
  const known = { ...usual(payment), ...told }
  const own = FACTS.map((name) => [name, payment[name]] as const).filter(([name, value]) => value !== known[name])
  const details = Object.entries(payment.details).filter(([, value]) => value !== null)
  return JSON.stringify({ ...Object.fromEntries(own), details: Object.fromEntries(details) })
}

/** In one order, so that a payment that does not change keeps its text. */
const FACTS = Object.keys({
  id: true,
  streamId: true,
  linkRef: true,
  version: true,
  statusRaw: true,
  status: true,
  phase: true,
  rank: true,
  seen: true,
  provisional: true,
  details: true,
  refunds: true,
  dispute: true,
  updatedAt: true,
} satisfies Record<keyof Payment, true>) as (keyof Payment)[]

/** Returns the payment of its column. */
export function toPayment(json: string, told: Told = {}): Payment {
  const own = { ...told, ...(JSON.parse(json) as Payment) }
  return { ...usual(own), ...own, details: { ...UNKNOWN, ...own.details } }
}

const UNKNOWN: Readonly<Record<keyof PaymentDetails, null>> = {
  currency: null,
  amount: null,
  total: null,
  paid: null,
  refunded: null,
  refundTotal: null,
  refundable: null,
  gst: null,
  gstAmount: null,
  reference: null,
  methodRaw: null,
  card: null,
  threeDsUrl: null,
  failureCode: null,
  failureMessage: null,
  instructions: null,
  expiresAt: null,
  createdAt: null,
}

/** The payer of a payment; `id` is that of the payment. */
type PaymentPayerRow = {
  readonly id: string
  readonly payer: Payer
  /** Sealed; null if none is kept. */
  readonly cardToken: string | null
  /** What is reported of an erased payer is dropped. */
  readonly erased: boolean
}

export const PAYMENT_PAYERS: TableSpec<PaymentPayerRow, 'id'> = {
  name: 'payment_payers',
  columns: { payment_id: 'text', name: 'text', email: 'text', card_token: 'text', erased: 'integer' },
  keyOf: ({ id }) => id,
  lookups: { id: { columns: ['payment_id'], keyOf: ({ id }) => id } },
  fromRow: ({ payment_id: id, name, email, card_token: cardToken, erased }) => ({
    id: String(id),
    payer: { name: name as string | null, email: email as string | null },
    cardToken: cardToken as string | null,
    erased: erased === 1,
  }),
  toRow: ({ id, payer: { name, email }, cardToken, erased }) => ({
    payment_id: id,
    name,
    email,
    card_token: cardToken,
    erased: erased ? 1 : 0,
  }),
}
