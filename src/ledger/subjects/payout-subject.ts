import type { ReportedPayout, PayoutPayee } from '../../domain/payouts/payout-report.ts'
import {
  decidePayoutCallback,
  decidePayoutRead,
  evolvePayout,
  type NewPayout,
  type Payout,
  type PayoutChange,
  payoutStreamId,
} from '../../domain/payouts/payout.ts'
import { nextPayoutPoll } from '../../domain/reads/read-schedule.ts'
import type { PayoutRow } from '../../store/rows/payout-rows.ts'
import type { Rows } from '../../store/rows/rows.ts'
import { confirmUnread, findAttempt, refsOfSameCommand, type ReadableSubject, type Target } from './subject.ts'

type PayoutKind = {
  readonly State: Payout
  readonly Row: PayoutRow
  readonly Names: NewPayout
  readonly Report: ReportedPayout
  readonly Change: PayoutChange
}

export type PayoutTarget = Target<PayoutKind>

/** Payouts that were made here. */
export const PAYOUT: ReadableSubject<PayoutKind> = {
  findTarget,
  idOf: ({ id }) => id,
  readAddressed(rows, ref, at) {
    const row = rows.payouts.first('ref', ref)
    if (row !== null) rows.payouts.put(confirmUnread(row, at))
    return row !== null
  },
  ownsStream: () => true,
  find: findPayout,
  put: (rows, row) => rows.payouts.put(row),
  decideWebhook: decidePayoutCallback,
  decideRead: decidePayoutRead,
  evolve: evolvePayout,
  eventOf: (payout) => ({ linkRef: null, payment: null, agreement: null, payout, gatewayPayment: null }),
  rowOf: (_rows, state, before) => ({
    state,
    deliveries: before?.deliveries ?? 0,
    plan: before?.plan ?? { dueAt: null, readClass: 'poll', failures: 0 },
  }),
  nextPoll: (_rows, state, now) => nextPayoutPoll(state, now),
  savePayer: ({ rows }, report) => savePayees(rows, report),
  withKnownPayer(rows, report) {
    const known = rows.payoutPayees.first('id', report.id)?.payees ?? []
    return { ...report, payees: mergePayees(known, report.payees) }
  },
  affect() {},
  follow: (_ledger, { row }) => row,
  countElsewhere() {},
}

/** Returns the payout with this uuid of the payments API. */
export function findPayout(rows: Rows, id: string): PayoutRow | null {
  return rows.payouts.first('id', id)
}

/** Returns the target of a response about a payout. */
export function answeredPayout(row: PayoutRow, report: ReportedPayout): PayoutTarget {
  return { row, state: row.state, names: row.state, report }
}

/** Requests the rows of a report about a payout together. */
export function wantPayout(rows: Rows, id: string): void {
  rows.payouts.want('id', id)
  rows.payoutPayees.want('id', id)
}

/**
 * Returns the payout that a report under a correlation id is about, or the ids of a new one. Null if that payout was created under another
 * command's correlation id, or if the correlation id belongs to another payout.
 */
export function findAddressedPayout(
  rows: Rows,
  report: ReportedPayout,
  { ref, site }: { readonly ref: string; readonly site: string },
): PayoutTarget | null {
  rows.attempts.want('ref', ref)
  wantPayout(rows, report.id)
  const refs = refsOfSameCommand(rows, ref)
  for (const other of refs) rows.payouts.want('ref', other)
  const known = findPayout(rows, report.id)
  if (known !== null) return refs.includes(known.state.ref) ? answeredPayout(known, report) : null
  if (refs.some((other) => rows.payouts.first('ref', other) !== null)) return null
  const names = { id: report.id, ref, streamId: payoutStreamId(report.id), site }
  return { row: null, state: null, names, report }
}

function findTarget(rows: Rows, report: ReportedPayout, ref: string | null): PayoutTarget | null {
  // Payouts have no default URL.
  if (ref === null) return null
  wantPayout(rows, report.id)
  const attempt = findAttempt(rows, ref)
  if (attempt?.kind !== 'payout') return null
  return findAddressedPayout(rows, report, { ref, site: attempt.site })
}

/** Records the payees, unless they were erased; what is not reported of them is unchanged. */
function savePayees(rows: Rows, { id, payees }: ReportedPayout): void {
  if (!payees.some(isNamed)) return
  const known = rows.payoutPayees.first('id', id)
  if (known?.erased === true) return
  rows.payoutPayees.put({ id, payees: mergePayees(payees, known?.payees ?? []), erased: false })
}

function isNamed({ name, accountNumberMasked, payIdMasked, bankCode }: PayoutPayee): boolean {
  return [name, accountNumberMasked, payIdMasked, bankCode].some((part) => part !== null)
}

/** Returns the payees of all transactions, with missing fields from the second. */
function mergePayees(first: readonly PayoutPayee[], second: readonly PayoutPayee[]): readonly PayoutPayee[] {
  const others = new Map(second.map((payee) => [payee.transactionId, payee]))
  const ids = new Set(first.map(({ transactionId }) => transactionId))
  const merged = first.map((payee) => {
    const other = others.get(payee.transactionId)
    return {
      transactionId: payee.transactionId,
      name: payee.name ?? other?.name ?? null,
      accountNumberMasked: payee.accountNumberMasked ?? other?.accountNumberMasked ?? null,
      payIdMasked: payee.payIdMasked ?? other?.payIdMasked ?? null,
      bankCode: payee.bankCode ?? other?.bankCode ?? null,
    }
  })
  return [...merged, ...second.filter(({ transactionId }) => !ids.has(transactionId))]
}
