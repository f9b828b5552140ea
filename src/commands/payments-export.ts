import { randomUUID } from 'node:crypto'
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
import { filterProblems, type ListFilter } from '../domain/list-filter.ts'
import type { Payment } from '../domain/payments/payment.ts'
import { unseal, seal } from '../keys/derived-secrets.ts'
import { fingerprint } from '../keys/key-ring.ts'
import type { Store } from '../ledger/store.ts'
import type { InvalidInput } from '../lookups/operation-outcome.ts'
import type { PageCursor } from '../store/port.ts'
import type { OperationsOptions } from './parts.ts'

export type ExportRequest = ExportQuery & {
  /** When the caller's right to list payments ends, in milliseconds since the epoch. */
  readonly rightEndsAt: number
  /** The same for all tokens of one caller. */
  readonly callerKey: string
}

export type ExportOutcome = { readonly kind: 'done'; readonly url: string; readonly expiresAt: Date } | InvalidInput

/** Path at which files of payments are downloaded. */
export const EXPORT_PATH = '/payments-export'

/** How long a download may begin after it was asked for, in milliseconds. */
const EXPORT_MS = 2 * 60_000

/** What a file contains. It is in the URL of the download alone, sealed: the rights of the caller are decided, and stay what they were. */
type Grant = Omit<ExportQuery, 'filter'> & {
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
  readonly callerKey: string
  /** Instants in milliseconds since the epoch. */
  readonly filter: Readonly<Record<string, unknown>>
}

/**
 * Returns the URL at which payments can be downloaded, once. The download has to begin within two minutes, and while the caller has the right.
 * Nothing is read or stored until then.
 */
export function requestPaymentsExport(
  { keys, publicUrl, clock }: OperationsOptions,
  { filter, format, payers, rightEndsAt, callerKey }: ExportRequest,
): ExportOutcome {
  const problems = filterProblems(filter).map(({ path, message }) => ({ path: ['filter', ...path], message }))
  if (problems.length > 0) return { kind: 'invalid-input', problems }
  const expiresAt = Math.min(clock().getTime() + EXPORT_MS, rightEndsAt)
  const grant: Grant = { id: randomUUID(), expiresAt, callerKey, format, payers, filter }
  const url = `${publicUrl()}${EXPORT_PATH}?grant=${seal(keys, 'export grant', grant)}`
  return { kind: 'done', url, expiresAt: new Date(expiresAt) }
}

/** A download that may begin. */
export type OpenedExport = { readonly id: string; readonly callerKey: string; readonly query: ExportQuery }

/** Returns the download that a URL stands for, or why it may not begin. */
export function openPaymentsExport(
  { keys, clock }: OperationsOptions,
  text: string,
): OpenedExport | 'unknown' | 'expired' {
  const grant = unseal(keys, 'export grant', text) as Grant | null
  if (grant === null) return 'unknown'
  if (grant.expiresAt <= clock().getTime()) return 'expired'
  const { id, callerKey, format, payers } = grant
  // Instants are texts in a grant.
  const filter = Object.fromEntries(
    Object.entries(grant.filter).map(([name, value]) => [
      name,
      /(From|Before)$/.test(name) ? new Date(String(value)) : value,
    ]),
  )
  return { id, callerKey, query: { format, payers, filter } }
}

/** The owner of the records of downloads: whoever has the URL. */
const DOWNLOADER = 'payments export'

/**
 * Begins a download: returns the parts of its file, or null if it was begun before, at any node. It is recorded like a command whose key is
 * the id of the download.
 */
export async function beginPaymentsExport(
  { store, keys, logger, clock }: OperationsOptions,
  { id, query }: OpenedExport,
): Promise<AsyncIterable<string> | null> {
  const now = clock()
  const { command, fresh } = await store.commands.begin({
    id: randomUUID(),
    mutation: 'downloadPaymentsExport',
    key: id,
    keyScope: DOWNLOADER,
    requestedBy: null,
    fingerprint: fingerprint(keys, id),
    ref: id,
    refKind: null,
    site: '',
    owner: '',
    leaseUntil: now.getTime(),
    sentAt: now.getTime(),
  })
  if (!fresh) return null
  await store.commands.settle(command.id, {})
  logger.info({ commandId: command.id, kind: query.payers }, 'payments were exported')
  return exportPayments(store, query, now)
}

type ExportQuery = {
  readonly filter: ListFilter
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
async function* exportPayments(
  store: ExportStore,
  { filter, format, payers }: ExportQuery,
  now: Date,
): AsyncGenerator<string, void, void> {
  const { mark, head, payment: line, end } = (payers === 'absent' ? EXPORT_FORMATS : EXPORT_FORMATS_WITH_PAYERS)[format]
  const totals = new PaymentTotals()
  const bounded = withBounds(filter, now)
  let text = mark + head
  let before: PageCursor | null = null
  do {
    const { rows, next } = await store.payments.page({ limit: PAGE, before }, bounded)
    const payments = rows.map(({ row }) => row)
    for (const payment of await linesOf(store, payments, payers)) {
      totals.add(payment)
      text += line(payment)
    }
    before = next
    if (text !== '') yield text
    text = ''
    // Requests of others are served between two pages, also where everything was in memory.
    await setImmediate()
  } while (before !== null)
  yield end(totals.list())
}

function withBounds({ updatedFrom, updatedBefore, ...filter }: ListFilter, now: Date): ListFilter {
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
