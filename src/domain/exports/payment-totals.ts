import { sumDecimals } from '../money/money.ts'
import type { ExportedPayment } from './exported-payment.ts'

/** The sums of the payments of one day (UTC), currency and method. A sum counts what is not known as nothing. */
export type Total = {
  /** Day on which the payments API created the payments, as `2026-11-24`; null for payments of which that is not known. */
  readonly day: string | null
  readonly currency: string
  /** As the payments API spells it; null while it is not known. */
  readonly method: string | null
  readonly count: number
  readonly amount: string
  readonly total: string
  readonly paid: string
  readonly refunded: string
}

const SUMS = ['amount', 'total', 'paid', 'refunded'] as const
const NOTHING = { amount: '0', total: '0', paid: '0', refunded: '0' }

type Row = { -readonly [Name in keyof Total]: Total[Name] }

/** Adds payments up by day, currency and method while they pass. It keeps one row for each of these, and no payment. */
export class PaymentTotals {
  readonly #rows = new Map<string, Row>()

  add(payment: ExportedPayment): void {
    const { day, currency, method } = payment
    const key = JSON.stringify([day ?? '', currency, method ?? ''])
    const row = this.#rows.get(key) ?? { day, currency, method, count: 0, ...NOTHING }
    row.count += 1
    for (const name of SUMS) row[name] = sumDecimals([row[name], payment[name] ?? '0'])
    this.#rows.set(key, row)
  }

  /** Returns the totals in the order of their days, currencies and methods. */
  list(): Total[] {
    return [...this.#rows].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
  }
}
