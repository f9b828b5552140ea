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
  flag,
  instant,
  integer,
  named,
  PLAN,
  planFields,
  planOf,
  reshaped,
  type RowOf,
  type TableOf,
  tableOf,
  text,
} from './columns.ts'
import type { Numbering, TableSpec } from './table.ts'

const payments = tableOf(
  'payments',
  {
    id: text(),
    streamId: text(),
    linkRef: text<string | null>(),
    namedLinkId: text<string | null>(),
    stateJson: text(),
    status: text<PaymentStatus | null>(),
    phase: text<PaymentPhase>(),
    rank: integer(),
    /** Null, like `amount`, until both are known. */
    currency: text<string | null>(),
    amount: text<string | null>(),
    cardLast4: named('card_last4', text<string | null>()),
    methodCode: text<string | null>(),
    ownerId: text<string | null>(),
    reference: text<string | null>(),
    otherReference: text<string | null>(),
    createdAt: integer(),
    updatedAt: instant,
    deliveries: integer(),
    ...PLAN,
    readSite: text(),
    provisional: flag,
    duplicate: flag,
    paidAfterMs: integer<number | null>(),
  },
  ['id', 'linkRef', 'namedLinkId'],
)

export type PaymentsTable = TableOf<typeof payments.fields> & { number: Numbering }

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
  ...reshaped(payments, { keys, flat, shape }),
  numbered: true,
}

function keys({ state: { id, linkRef }, namedLinkId }: PaymentRow) {
  return { id, linkRef, namedLinkId }
}

function flat({ state, plan, ...row }: PaymentRow): RowOf<typeof payments.fields> {
  const { amount, currency, card, reference } = state.details
  return {
    ...state,
    ...row,
    ...planFields(plan),
    stateJson: paymentJson(state),
    currency: amount === null ? null : currency,
    amount: currency === null ? null : amount,
    cardLast4: card?.last4 ?? null,
    reference,
  }
}

function shape(fields: RowOf<typeof payments.fields>): PaymentRow {
  const { namedLinkId, otherReference, methodCode, ownerId, readSite, createdAt, deliveries, duplicate } = fields
  const own = { namedLinkId, otherReference, methodCode, ownerId, readSite, createdAt, deliveries, duplicate }
  return { state: toPayment(fields.stateJson), ...own, paidAfterMs: fields.paidAfterMs, plan: planOf(fields) }
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

const payers = tableOf(
  'payment_payers',
  {
    /** That of the payment. */
    id: named('payment_id', text()),
    name: text<string | null>(),
    email: text<string | null>(),
    /** Sealed; null if none is kept. */
    cardToken: text<string | null>(),
    /** What is reported of an erased payer is dropped. */
    erased: flag,
  },
  ['id'],
)

export type PayersTable = TableOf<typeof payers.fields>

type PaymentPayerRow = Pick<RowOf<typeof payers.fields>, 'id' | 'cardToken' | 'erased'> & { readonly payer: Payer }

export const PAYMENT_PAYERS: TableSpec<PaymentPayerRow, 'id'> = reshaped(payers, {
  keys: (row) => row,
  flat: ({ payer, ...row }) => ({ ...row, ...payer }),
  shape: ({ name, email, ...row }) => ({ ...row, payer: { name, email } }),
})
