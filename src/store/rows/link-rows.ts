import type { Generated, Selectable } from 'kysely'
import type { PaymentLink } from '../../domain/payments/payment-link.ts'
import { type PaymentPhase } from '../../domain/payments/payment-report.ts'
import type { ReadPlan } from '../../domain/reads/read-schedule.ts'
import {
  fromIso,
  PLAN_COLUMNS,
  planColumns,
  planOf,
  type PlanTable,
  toIso,
  type Flag,
  type Numbering,
  type TableSpec,
} from './table.ts'

export type LinksTable = PlanTable & {
  number: Numbering
  id: string
  ref: string
  stream_id: string
  site: string
  reference: string
  checkout_url: string
  requested_value: string
  requested_currency: string
  description: string
  method_code: string | null
  owner_id: string | null
  created_at: number
  expires_at: number
  expired: Flag
  payment_id: string | null
  payment_phase: PaymentPhase | null
  deliveries: Generated<number>
}

export type LinkRow = {
  readonly link: PaymentLink
  /** Phase of the payment that determines the link's state. */
  readonly paymentPhase: PaymentPhase | null
  /** Deliveries recorded for its payments so far. */
  readonly deliveries: number
  readonly plan: ReadPlan
}

export const LINKS: TableSpec<LinkRow, 'id' | 'ref'> = {
  name: 'links',
  numbered: true,
  columns: {
    id: 'text',
    ref: 'text',
    stream_id: 'text',
    site: 'text',
    reference: 'text',
    checkout_url: 'text',
    requested_value: 'text',
    requested_currency: 'text',
    description: 'text',
    method_code: 'text',
    owner_id: 'text',
    created_at: 'integer',
    expires_at: 'integer',
    expired: 'integer',
    payment_id: 'text',
    payment_phase: 'text',
    deliveries: 'integer',
    ...PLAN_COLUMNS,
  },
  keyOf: ({ link }) => link.id,
  lookups: {
    id: { columns: ['id'], keyOf: ({ link }) => link.id },
    ref: { columns: ['ref'], keyOf: ({ link }) => link.ref },
  },
  fromRow: (row) => ({
    link: toLink(row as unknown as Stored),
    paymentPhase: row['payment_phase'] as PaymentPhase | null,
    deliveries: Number(row['deliveries']),
    plan: planOf(row),
  }),
  toRow: ({ link, paymentPhase, deliveries, plan }) => ({
    id: link.id,
    ref: link.ref,
    stream_id: link.streamId,
    site: link.site,
    reference: link.reference,
    checkout_url: link.checkoutUrl,
    requested_value: link.requestedAmount.value,
    requested_currency: link.requestedAmount.currency,
    description: link.description,
    method_code: link.methodCode,
    owner_id: link.ownerId,
    created_at: fromIso(link.createdAt),
    expires_at: fromIso(link.expiresAt),
    expired: link.expired ? 1 : 0,
    payment_id: link.paymentId,
    payment_phase: paymentPhase,
    deliveries,
    ...planColumns(plan),
  }),
}

/** Returns the link of a row. */
export function toLink(row: Stored): PaymentLink {
  return {
    id: row.id,
    ref: row.ref,
    streamId: row.stream_id,
    site: row.site,
    reference: row.reference,
    checkoutUrl: row.checkout_url,
    requestedAmount: { value: row.requested_value, currency: row.requested_currency },
    description: row.description,
    methodCode: row.method_code,
    ownerId: row.owner_id,
    createdAt: toIso(row.created_at),
    expiresAt: toIso(row.expires_at),
    expired: row.expired === 1,
    paymentId: row.payment_id,
  }
}

/** Returns the link of the columns of a left join; null if there is none: then all columns are null. */
export function toLinkOrNull(row: { [Column in keyof Stored]: Stored[Column] | null }): PaymentLink | null {
  return row.id === null ? null : toLink(row as Stored)
}

type Stored = Selectable<LinksTable>
