import { createHash } from 'node:crypto'
import type { EventSource } from '../domain/payments/payment-event.ts'
import {
  type DuplicatePayment,
  duplicateReason,
  type DuplicateResolution,
  holdsMoney,
  type OrderName,
  type PaidOrder,
  withPayment,
  type Payment,
  type PaymentChange,
} from '../domain/payments/payment.ts'
import type { PaymentRow } from '../store/rows/payment-rows.ts'
import type { Rows } from '../store/rows/rows.ts'
import { findPayment, linkOf } from './find-payment.ts'
import type { Ledger } from './subjects/subject.ts'

export type Occasion = { readonly source: EventSource; readonly at: Date }

/** Appends an event that changes nothing of a payment but its version. Returns the row after it. */
type Append = (ledger: Ledger, row: PaymentRow, kind: PaymentChange['kind'], occasion: Occasion) => PaymentRow

/**
 * Compares a payment that has begun, or ceased, to hold money with the other payments of its order. Records a duplicate, or that it is
 * resolved, as an event of the duplicate. Returns the row of the payment after it.
 */
export function followOrder(
  ledger: Ledger,
  { before, row, ...occasion }: Occasion & { readonly before: Payment | null; readonly row: PaymentRow },
  append: Append,
): PaymentRow {
  const held = before !== null && holdsMoney(before)
  const holds = holdsMoney(row.state)
  if (held === holds || !ledger.settings.findsDuplicates) return row
  return (holds ? join : leave)(ledger, row, occasion, append)
}

/** Records that several payments of an order are expected: none is a duplicate from now on. */
export function expectSeveral(rows: Rows, name: OrderName, at: Date): void {
  rows.paidOrders.put({ ...orderOf(rows, name), severalExpected: true, updatedAt: at.toISOString() })
}

/** Resolves an open duplicate. Returns the row of its payment after the event. */
export function resolveDuplicate(
  ledger: Ledger,
  row: PaymentRow,
  { resolution, ...occasion }: Occasion & { readonly resolution: DuplicateResolution },
  append: Append,
): PaymentRow {
  const duplicate = openDuplicate(ledger.rows, row.state.id)
  if (duplicate === null) return row
  ledger.rows.duplicates.put({ ...duplicate, resolvedAt: occasion.at.toISOString(), resolution })
  return append(ledger, { ...row, duplicate: false }, 'DUPLICATE_PAYMENT_RESOLVED', occasion)
}

/** Returns the duplicate of a payment while it is not resolved. */
function openDuplicate(rows: Rows, paymentId: string): DuplicatePayment | null {
  const duplicate = rows.duplicates.first('paymentId', paymentId)
  return duplicate?.resolvedAt === null ? duplicate : null
}

function join(ledger: Ledger, row: PaymentRow, occasion: Occasion, append: Append): PaymentRow {
  const { rows } = ledger
  const { state } = row
  const at = occasion.at.toISOString()
  const order = orderOfPayment(rows, row)
  const others = order?.paymentIds.filter((id) => id !== state.id && isHeld(rows, id)) ?? []
  if (order !== null) rows.paidOrders.put(withPayment(order, others, state.id, at))
  const otherId = others[0] ?? null
  const reason = duplicateReason(order, {
    otherId,
    linkHadExpired: linkOf(rows, state)?.expired === true || state.seen.includes('expired'),
  })
  if (reason === null || row.duplicate) return row
  // A payment holds money again when a lost dispute is reversed. Whoever has dismissed the duplicate keeps both still.
  if (rows.duplicates.first('paymentId', state.id)?.resolution === 'DISMISSED') return row
  rows.duplicates.put({ paymentId: state.id, otherId, reason, foundAt: at, resolvedAt: null, resolution: null })
  return append(ledger, { ...row, duplicate: true }, 'DUPLICATE_PAYMENT_FOUND', occasion)
}

function leave(ledger: Ledger, row: PaymentRow, occasion: Occasion, append: Append): PaymentRow {
  const { rows } = ledger
  const { id } = row.state
  const order = orderOfPayment(rows, row)
  if (order?.paymentIds.includes(id) === true) {
    const others = order.paymentIds.filter((other) => other !== id)
    rows.paidOrders.put({ ...order, paymentIds: others, updatedAt: occasion.at.toISOString() })
    for (const [index, other] of others.entries()) {
      const duplicate = openDuplicate(rows, other)
      const otherRow = findPayment(rows, other)
      if (duplicate?.otherId !== id || otherRow === null) continue
      const earlier = others.slice(0, index).find((candidate) => isHeld(rows, candidate))
      // Without an earlier one, it is now the payment of the order.
      if (earlier !== undefined) rows.duplicates.put({ ...duplicate, otherId: earlier })
      else resolveDuplicate(ledger, otherRow, { ...occasion, resolution: 'OTHER_REFUNDED' }, append)
    }
  }
  return resolveDuplicate(ledger, row, { ...occasion, resolution: 'REFUNDED' }, append)
}

function isHeld(rows: Rows, id: string): boolean {
  const row = findPayment(rows, id)
  return row !== null && holdsMoney(row.state)
}

/** Returns the order of a payment; null if it was made elsewhere: what its reference means is not known here. */
function orderOfPayment(rows: Rows, { state }: PaymentRow): PaidOrder | null {
  const made = linkOf(rows, state) ?? rows.payins.first('paymentId', state.id)
  return made === null ? null : orderOf(rows, made)
}

function orderOf(rows: Rows, { site, ownerId, reference }: OrderName): PaidOrder {
  const id = createHash('sha256')
    .update(JSON.stringify([site, ownerId, reference]))
    .digest('base64url')
  return rows.paidOrders.first('id', id) ?? { id, paymentIds: [], severalExpected: false, updatedAt: '' }
}
