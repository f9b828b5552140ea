import type {
  DuplicatePayment,
  DuplicateReason,
  DuplicateResolution,
  PaidOrder,
} from '../../domain/payments/payment.ts'
import { type Flag, fromIso, type TableSpec, toIso } from './table.ts'

export type PaidOrdersTable = { id: string; payment_ids: string; several_expected: Flag; updated_at: number }

export type DuplicatePaymentsTable = {
  payment_id: string
  other_id: string | null
  reason: DuplicateReason
  found_at: number
  resolved_at: number | null
  resolution: DuplicateResolution | null
}

export const PAID_ORDERS: TableSpec<PaidOrder, 'id'> = {
  name: 'paid_orders',
  columns: { id: 'text', payment_ids: 'text', several_expected: 'integer', updated_at: 'integer' },
  keyOf: ({ id }) => id,
  lookups: { id: { columns: ['id'], keyOf: ({ id }) => id } },
  fromRow: (row) => ({
    id: String(row['id']),
    paymentIds: JSON.parse(String(row['payment_ids'])) as string[],
    severalExpected: row['several_expected'] === 1,
    updatedAt: toIso(Number(row['updated_at'])),
  }),
  toRow: ({ id, paymentIds, severalExpected, updatedAt }) => ({
    id,
    payment_ids: JSON.stringify(paymentIds),
    several_expected: severalExpected ? 1 : 0,
    updated_at: fromIso(updatedAt),
  }),
}

export const DUPLICATE_PAYMENTS: TableSpec<DuplicatePayment, 'paymentId'> = {
  name: 'duplicate_payments',
  columns: {
    payment_id: 'text',
    other_id: 'text',
    reason: 'text',
    found_at: 'integer',
    resolved_at: 'integer',
    resolution: 'text',
  },
  keyOf: ({ paymentId }) => paymentId,
  lookups: { paymentId: { columns: ['payment_id'], keyOf: ({ paymentId }) => paymentId } },
  fromRow: (row) => ({
    paymentId: String(row['payment_id']),
    otherId: row['other_id'] as string | null,
    reason: row['reason'] as DuplicateReason,
    foundAt: toIso(Number(row['found_at'])),
    resolvedAt: row['resolved_at'] === null ? null : toIso(Number(row['resolved_at'])),
    resolution: row['resolution'] as DuplicateResolution | null,
  }),
  toRow: (duplicate) => ({
    payment_id: duplicate.paymentId,
    other_id: duplicate.otherId,
    reason: duplicate.reason,
    found_at: fromIso(duplicate.foundAt),
    resolved_at: duplicate.resolvedAt === null ? null : fromIso(duplicate.resolvedAt),
    resolution: duplicate.resolution,
  }),
}
