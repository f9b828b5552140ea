import type { PaymentNote } from '../../domain/payments/payment-note.ts'
import { fromIso, type TableSpec, toIso } from './table.ts'

export type PaymentNotesTable = {
  id: string
  payment_id: string
  text: string
  author: string | null
  author_scope: string
  written_at: number
}

export const PAYMENT_NOTES: TableSpec<PaymentNote, 'id' | 'paymentId'> = {
  name: 'payment_notes',
  columns: {
    id: 'text',
    payment_id: 'text',
    text: 'text',
    author: 'text',
    author_scope: 'text',
    written_at: 'integer',
  },
  keyOf: ({ id }) => id,
  lookups: {
    id: { columns: ['id'], keyOf: ({ id }) => id },
    paymentId: { columns: ['payment_id'], keyOf: ({ paymentId }) => paymentId },
  },
  fromRow: (row) => ({
    id: String(row['id']),
    paymentId: String(row['payment_id']),
    text: String(row['text']),
    author: row['author'] as string | null,
    authorScope: String(row['author_scope']),
    writtenAt: toIso(Number(row['written_at'])),
  }),
  toRow: ({ id, paymentId, text, author, authorScope, writtenAt }) => ({
    id,
    payment_id: paymentId,
    text,
    author,
    author_scope: authorScope,
    written_at: fromIso(writtenAt),
  }),
}
