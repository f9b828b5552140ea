import { setImmediate } from 'node:timers/promises'
import {
  exportBounds,
  EXPORT_FORMATS,
  EXPORT_FORMATS_WITH_PAYERS,
  type ExportFormatName,
  PaymentTotals,
  exportedPayment,
  type ExportedPayers,
  type ExportedPayment,
} from '../domain/exports/export-format.ts'
import type { Payment } from '../domain/payments/payment.ts'
import type { PageCursor, PaymentFilter, Store } from '../store/store.ts'

export type ExportQuery = {
  readonly filter: PaymentFilter
  readonly format: ExportFormatName
  readonly payers: ExportedPayers
}

type ExportStore = {
  readonly payments: Pick<Store['payments'], 'page' | 'payins' | 'payers'>
  readonly links: Pick<Store['links'], 'byRefs'>
}

/** Payments that are read at once: a page of the lists. */
const PAGE = 100

/**
 * Returns the parts of a file of payments, one for each page of the list. A page is read when the part before it was taken, and no lock or
 * cursor of the database is held between two pages. Rejects with the error of the store; then the file lacks its end.
 */
export async function* exportPayments(
  store: ExportStore,
  { filter, format, payers }: ExportQuery,
  now: Date,
): AsyncGenerator<string, void, void> {
  const { head, payment: line, end } = (payers === 'absent' ? EXPORT_FORMATS : EXPORT_FORMATS_WITH_PAYERS)[format]
  const totals = new PaymentTotals()
  const bounded = withBounds(filter, now)
  let text = head
  let before: PageCursor | null = null
  do {
    const rows = await store.payments.page({ limit: PAGE, before }, bounded)
    const payments = rows.map(({ row }) => row)
    for (const payment of await linesOf(store, payments, payers)) {
      totals.add(payment)
      text += line(payment)
    }
    const last = rows.at(-1)
    before = rows.length < PAGE || last === undefined ? null : { number: last.number, at: last.at }
    if (text !== '') yield text
    text = ''
    // Requests of others are served between two pages, also where everything was in memory.
    await setImmediate()
  } while (before !== null)
  yield end(totals.list())
}

function withBounds({ updatedFrom, updatedBefore, ...filter }: PaymentFilter, now: Date): PaymentFilter {
  const { from, before } = exportBounds({ from: updatedFrom ?? null, before: updatedBefore ?? null }, now)
  return {
    ...filter,
    ...(from === null ? {} : { updatedFrom: from }),
    ...(before === null ? {} : { updatedBefore: before }),
  }
}

/** Reads what belongs to the payments of a page, and returns their lines. */
async function linesOf(
  { payments: { payins, payers: payersOf }, links }: ExportStore,
  page: readonly Payment[],
  payers: ExportedPayers,
): Promise<ExportedPayment[]> {
  const refs = page.flatMap(({ linkRef }) => linkRef ?? [])
  const direct = page.filter(({ linkRef }) => linkRef === null).map(({ id }) => id)
  const [foundLinks, foundPayins, foundPayers] = await Promise.all([
    refs.length === 0 ? [] : links.byRefs([...new Set(refs)]),
    direct.length === 0 ? [] : payins(direct),
    payers === 'absent' ? null : payersOf(page.map(({ id }) => id)),
  ])
  const linkByRef = new Map(foundLinks.map((link) => [link.ref, link]))
  const payinById = new Map(foundPayins.map((payin) => [payin.paymentId, payin]))
  return page.map((payment) => {
    const link = linkByRef.get(payment.linkRef ?? '') ?? null
    const payin = payinById.get(payment.id) ?? null
    return exportedPayment(payment, { link, payin, payer: foundPayers?.get(payment.id) ?? null }, payers)
  })
}
