import { instant, type TableOf, tableOf, text } from './columns.ts'

/** Operators' notes on payments. */
export const PAYMENT_NOTES = tableOf(
  'payment_notes',
  {
    id: text(),
    paymentId: text(),
    text: text(),
    author: text<string | null>(),
    authorScope: text(),
    writtenAt: instant,
  },
  ['id', 'paymentId'],
)

export type PaymentNotesTable = TableOf<typeof PAYMENT_NOTES.fields>
