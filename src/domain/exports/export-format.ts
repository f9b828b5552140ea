import { sumDecimals, exponentOf, withDecimals } from '../money/money.ts'
import type { DirectPayin } from '../payments/direct-payin.ts'
import type { PaymentLink } from '../payments/payment-link.ts'
import type { Payer } from '../payments/payment-report.ts'
import type { Payment } from '../payments/payment.ts'

/** How a file is written. `end` closes it: a file without it was cut off. All texts end with a line break. */
type ExportFormat = {
  /** What a download begins with, so that a spreadsheet reads it as UTF-8. */
  readonly mark: string
  readonly head: string
  readonly payment: (payment: ExportedPayment) => string
  readonly end: (totals: readonly Total[]) => string
}

type Cell = string | number | null

/** Columns with amounts and numbers, whose first character can be a minus sign. */
const NUMBERS = ['count', 'amount', 'total', 'paid', 'refunded'] as const
const COLUMNS = [
  ...(['record', 'day', 'currency', 'method', ...NUMBERS] as const),
  ...(['id', 'reference', 'site', 'link', 'owner', 'description'] as const),
  ...(['phase', 'status', 'createdAt', 'updatedAt'] as const),
] as const
const PAYER_COLUMNS = ['payerName', 'payerEmail'] as const

type Column = (typeof COLUMNS | typeof PAYER_COLUMNS)[number]

/** How files are written, by the name of the format. */
export const EXPORT_FORMATS = { csv: csvOf(COLUMNS), ndjson: ndjson() } as const

export type ExportFormatName = keyof typeof EXPORT_FORMATS

/** The same formats for files that have who paid. */
export const EXPORT_FORMATS_WITH_PAYERS: Record<ExportFormatName, ExportFormat> = {
  csv: csvOf([...COLUMNS, ...PAYER_COLUMNS]),
  ndjson: ndjson(),
}

/**
 * RFC 4180, every line with the same columns. `record` tells PAYMENT, TOTAL, and the last line, END, whose `count` is that of all payments.
 */
function csvOf(columns: readonly Column[]): ExportFormat {
  const lineOf = (cells: Partial<Record<Column, Cell>>) => csvLine(columns, cells)
  return {
    mark: '\uFEFF',
    head: `${columns.join(',')}\r\n`,
    payment: (payment) => lineOf({ record: 'PAYMENT', count: 1, ...payment }),
    end: (totals) => totals.map((total) => lineOf({ record: 'TOTAL', ...total })).join('') + lineOf(endOf(totals)),
  }
}

/** One JSON object per line: `{"payment": …}`, and at last `{"totals": […], "count": n}`. */
function ndjson(): ExportFormat {
  return {
    mark: '',
    head: '',
    payment: (payment) => `${JSON.stringify({ payment })}\n`,
    end: (totals) => `${JSON.stringify({ totals, count: endOf(totals).count })}\n`,
  }
}

function endOf(totals: readonly Total[]) {
  return { record: 'END', count: totals.reduce((sum, { count }) => sum + count, 0) }
}

function csvLine(columns: readonly Column[], cells: Partial<Record<Column, Cell>>): string {
  const numbers: readonly string[] = NUMBERS
  const line = columns.map((name) => {
    const text = String(cells[name] ?? '')
    return quoted(numbers.includes(name) ? text : inert(text))
  })
  return `${line.join(',')}\r\n`
}

/**
 * Puts an apostrophe before what a spreadsheet would calculate (https://owasp.org/www-community/attacks/CSV_Injection): at the begin of the cell, and
 * behind whatever a spreadsheet may split cells at. In Europe that is a semicolon, and quotes that are not at the begin of a cell have no effect there.
 */
function inert(text: string): string {
  const parts = text.split(/(?<=[;\t\r\n])/).map((part) => (CALCULATED.test(part) ? `'${part}` : part))
  return /^[\t\r\n ]*[\t\r\n]/.test(text) ? `'${parts.join('')}` : parts.join('')
}

/**
 * The begin of what is calculated: one of the signs, also full-width, small, superscript or subscript, and the minus, behind quotes, spaces and invisible
 * characters, which some spreadsheets drop.
 */
const CALCULATED =
  /^["\p{Cc}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]*[=+\-@\u2212\u207a-\u207c\u208a-\u208c\ufe62\ufe63\ufe66\ufe6b\uff0b\uff0d\uff1d\uff20]/u

function quoted(text: string): string {
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** The sums of the payments of one day (UTC), currency and method. A sum counts what is not known as nothing. */
type Total = {
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

type Bounds = { readonly from: Date | null; readonly before: Date | null }

/**
 * Returns the bounds of an export by the instant of the last change. A list with such a bound is in the order of changes, and a payment that
 * changes goes to its front, behind the export. The upper bound is therefore `now` at the latest: such a payment does not match any more.
 */
export function exportBounds({ from, before }: Bounds, now: Date): Bounds {
  // Nothing changes in the future: such a list stays empty.
  if ((from === null && before === null) || (from !== null && from >= now)) return { from, before }
  return { from, before: before !== null && before < now ? before : now }
}

/** A payment as a line of a file. Amounts are exact decimals in `currency`; null is what is not known. */
export type ExportedPayment = {
  /** Day in UTC on which the payments API created it, as `2026-11-24`. */
  readonly day: string | null
  readonly currency: string
  /** As the payments API spells it. */
  readonly method: string | null
  readonly amount: string
  /** Amount with fees. */
  readonly total: string | null
  readonly paid: string | null
  readonly refunded: string | null
  readonly id: string
  readonly reference: string | null
  readonly site: string | null
  readonly link: string | null
  readonly owner: string | null
  readonly description: string | null
  readonly phase: string
  readonly status: string
  readonly createdAt: string | null
  readonly updatedAt: string
  /** Only in a file that has who paid. */
  readonly payerName?: string | null
  readonly payerEmail?: string | null
}

/** Whether a file has who paid: not at all, in clear text, or only that it is known. */
export type ExportedPayers = 'absent' | 'shown' | 'masked'

type RelatedRows = {
  readonly link: PaymentLink | null
  /** The direct payin that the payment was made by. */
  readonly payin: DirectPayin | null
  readonly payer: Payer | null
}

/** Stands for a name or an e-mail address that is known, and not to be shown. */
const MASK = '***'

/** Returns the line of a payment. Throws `TypeError` for a payment whose amount is not known, which lists do not have. */
export function exportedPayment(
  { id, details, phase, statusRaw, updatedAt }: Payment,
  { link, payin, payer }: RelatedRows,
  payers: ExportedPayers,
): ExportedPayment {
  const { currency, amount, total, paid, refunded, methodRaw, createdAt } = details
  if (currency === null || amount === null) throw new TypeError('A payment without an amount was exported.')
  const shown = (value: string) => withDecimals(value, exponentOf(currency))
  const known = (value: string | null) => (value === null ? null : shown(value))
  return {
    day: createdAt?.slice(0, 'YYYY-MM-DD'.length) ?? null,
    currency,
    method: methodRaw,
    amount: shown(amount),
    total: known(total),
    paid: known(paid),
    refunded: known(refunded),
    id,
    reference: link?.reference ?? payin?.reference ?? details.reference,
    site: link?.site ?? payin?.site ?? null,
    link: link?.id ?? null,
    owner: link?.ownerId ?? null,
    description: link?.description ?? null,
    phase,
    status: statusRaw,
    createdAt,
    updatedAt,
    ...payerOf(payer, payers),
  }
}

function payerOf(payer: Payer | null, payers: ExportedPayers): Pick<ExportedPayment, 'payerName' | 'payerEmail'> {
  if (payers === 'absent') return {}
  const [name, email] = [payer?.name ?? null, payer?.email ?? null]
  if (payers === 'shown') return { payerName: name, payerEmail: email }
  return { payerName: name === null ? null : MASK, payerEmail: email === null ? null : MASK }
}
