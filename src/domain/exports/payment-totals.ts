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

/** An exact decimal: `units` divided by ten to the power of `scale`. */
type Sum = { readonly units: bigint; readonly scale: number }

type Row = Pick<Total, 'day' | 'currency' | 'method'> & { count: number; sums: Record<(typeof SUMS)[number], Sum> }

/** Adds payments up by day, currency and method while they pass. It keeps one row for each of these, and no payment. */
export class PaymentTotals {
  readonly #rows = new Map<string, Row>()

  add(payment: ExportedPayment): void {
    const { day, currency, method } = payment
    const key = JSON.stringify([day ?? '', currency, method ?? ''])
    const row = this.#rows.get(key) ?? { day, currency, method, count: 0, sums: noSums() }
    row.count += 1
    for (const name of SUMS) row.sums[name] = plus(row.sums[name], payment[name] ?? '0')
    this.#rows.set(key, row)
  }

  /** Returns the totals in the order of their days, currencies and methods. */
  list(): Total[] {
    return [...this.#rows.entries()]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([, { day, currency, method, count, sums }]) => ({
        day,
        currency,
        method,
        count,
        amount: decimal(sums.amount),
        total: decimal(sums.total),
        paid: decimal(sums.paid),
        refunded: decimal(sums.refunded),
      }))
  }
}

function noSums(): Row['sums'] {
  const none: Sum = { units: 0n, scale: 0 }
  return { amount: none, total: none, paid: none, refunded: none }
}

function plus({ units, scale }: Sum, text: string): Sum {
  const [whole = '', decimals = ''] = text.split('.')
  const common = Math.max(scale, decimals.length)
  return {
    units: units * 10n ** BigInt(common - scale) + BigInt(whole + decimals.padEnd(common, '0')),
    scale: common,
  }
}

function decimal({ units, scale }: Sum): string {
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0')
  const sign = units < 0n ? '-' : ''
  return scale === 0 ? sign + digits : `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}
