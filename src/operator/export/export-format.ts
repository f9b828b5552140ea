import type { ExportedPayment } from './exported-payment.ts'
import type { Total } from './payment-totals.ts'

/** How a file is written. `end` closes it: a file without it was cut off. All texts end with a line break. */
export type ExportFormat = {
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
]

/**
 * RFC 4180, every line with the same columns. `record` tells PAYMENT, TOTAL, and the last line, END, whose `count` is that of all payments.
 */
const CSV: ExportFormat = {
  head: `${COLUMNS.join(',')}\r\n`,
  payment: (payment) => csvLine({ record: 'PAYMENT', count: 1, ...payment }),
  end: (totals) => totals.map((total) => csvLine({ record: 'TOTAL', ...total })).join('') + csvLine(endOf(totals)),
}

/** One JSON object per line: `{"payment": …}`, and at last `{"totals": […], "count": n}`. */
const NDJSON: ExportFormat = {
  head: '',
  payment: (payment) => `${JSON.stringify({ payment })}\n`,
  end: (totals) => `${JSON.stringify({ totals, count: endOf(totals).count })}\n`,
}

export const EXPORT_FORMATS = { csv: CSV, ndjson: NDJSON } as const

function endOf(totals: readonly Total[]) {
  return { record: 'END', count: totals.reduce((sum, { count }) => sum + count, 0) }
}

function csvLine(cells: Partial<Record<(typeof COLUMNS)[number], Cell>>): string {
  const numbers: readonly string[] = NUMBERS
  const line = COLUMNS.map((name) => {
    const text = String(cells[name] ?? '')
    return quoted(numbers.includes(name) ? text : inert(text))
  })
  return `${line.join(',')}\r\n`
}

/** Puts an apostrophe before what a spreadsheet would calculate (https://owasp.org/www-community/attacks/CSV_Injection). */
function inert(text: string): string {
  return /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
