import type { Selectable } from 'kysely'
import type { PaymentLink } from '../../domain/payments/payment-link.ts'
import type { PaymentPhase } from '../../domain/payments/payment-report.ts'
import type { ReadPlan } from '../../domain/reads/read-schedule.ts'
import {
  flag,
  instant,
  integer,
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

const links = tableOf(
  'links',
  {
    id: text(),
    ref: text(),
    streamId: text(),
    site: text(),
    reference: text(),
    checkoutUrl: text(),
    requestedValue: text(),
    requestedCurrency: text(),
    description: text(),
    methodCode: text<string | null>(),
    ownerId: text<string | null>(),
    createdAt: instant,
    expiresAt: instant,
    expired: flag,
    paymentId: text<string | null>(),
    paymentPhase: text<PaymentPhase | null>(),
    deliveries: integer(),
    ...PLAN,
  },
  ['id', 'ref'],
)

export type LinksTable = TableOf<typeof links.fields> & { number: Numbering }

export type LinkRow = {
  readonly link: PaymentLink
  /** Phase of the payment that determines the link's state. */
  readonly paymentPhase: PaymentPhase | null
  /** Deliveries recorded for its payments so far. */
  readonly deliveries: number
  readonly plan: ReadPlan
}

export const LINKS: TableSpec<LinkRow, 'id' | 'ref'> = {
  ...reshaped(links, { keys: ({ link }) => link, flat, shape }),
  numbered: true,
}

function flat({ link, plan, ...row }: LinkRow): RowOf<typeof links.fields> {
  const { value: requestedValue, currency: requestedCurrency } = link.requestedAmount
  return { ...link, requestedValue, requestedCurrency, ...row, ...planFields(plan) }
}

function shape(fields: RowOf<typeof links.fields>): LinkRow {
  const { paymentPhase, deliveries, readDueAt, readClass, readFailures, requestedValue, requestedCurrency, ...link } =
    fields
  return {
    link: { ...link, requestedAmount: { value: requestedValue, currency: requestedCurrency } },
    paymentPhase,
    deliveries,
    plan: planOf({ readDueAt, readClass, readFailures }),
  }
}

/** Returns the link of a row. */
export function toLink(row: Stored): PaymentLink {
  return LINKS.fromRow(row).link
}

/** Returns the link of the columns of a left join; null if there is none: then all columns are null. */
export function toLinkOrNull(row: { [Column in keyof Stored]: Stored[Column] | null }): PaymentLink | null {
  return row.id === null ? null : toLink(row as Stored)
}

type Stored = Selectable<LinksTable>
