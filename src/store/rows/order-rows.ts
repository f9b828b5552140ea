import type { DuplicateReason, DuplicateResolution } from '../../domain/payments/payment.ts'
import { flag, instant, instantOrNull, json, type TableOf, tableOf, text } from './columns.ts'

export const PAID_ORDERS = tableOf(
  'paid_orders',
  { id: text(), paymentIds: json<readonly string[]>(), severalExpected: flag, updatedAt: instant },
  ['id'],
)

export type PaidOrdersTable = TableOf<typeof PAID_ORDERS.fields>

export const DUPLICATE_PAYMENTS = tableOf(
  'duplicate_payments',
  {
    paymentId: text(),
    otherId: text<string | null>(),
    reason: text<DuplicateReason>(),
    foundAt: instant,
    resolvedAt: instantOrNull,
    resolution: text<DuplicateResolution | null>(),
  },
  ['paymentId'],
)

export type DuplicatePaymentsTable = TableOf<typeof DUPLICATE_PAYMENTS.fields>
