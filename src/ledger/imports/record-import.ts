import {
  afterCheck,
  afterPage,
  type CheckPlace,
  type ImportPlace,
  partAt,
  type PaymentImport,
} from '../../domain/imports/import-plan.ts'
import {
  emptyReport,
  type ImportProblem,
  type PartReport,
  withAbsent,
  withEntry,
  withFailed,
} from '../../domain/imports/import-report.ts'
import type { AbsentObjects, ImportedPage } from '../../store/port.ts'
import type { Rows } from '../../store/rows/rows.ts'
import { entryPrefix } from '../../store/rows/upkeep-rows.ts'
import type { Ledger } from '../subjects/subject.ts'
import {
  importAgreement,
  wantFoundAgreement,
  type ImportedEntry,
  importPayment,
  wantFoundPayment,
  importPayout,
  wantFoundPayout,
} from './import-subjects.ts'

/** The id of an entry, and the decision about it, which returns the id under which the entry is counted. */
type EntryDecision = { readonly id: string; readonly decide: (ledger: Ledger) => string }

/**
 * Returns the decisions about the entries of a page. They are stored one by one, with a note of each entry: one that was decided before a
 * process ended, or was on an earlier page, is not counted again.
 */
export function entryDecisions({ number, place, found, at }: ImportedPage): EntryDecision[] {
  const decisions = <Found extends { readonly report: { readonly id: string } | { readonly paymentId: string } }>(
    entries: readonly Found[],
    want: (rows: Rows, entry: Found) => void,
    importEntry: (ledger: Ledger, entry: Found, how: How) => ImportedEntry,
  ) =>
    entries.map((entry) => ({
      id: 'paymentId' in entry.report ? entry.report.paymentId : entry.report.id,
      decide: (ledger: Ledger) =>
        recordEntry(
          ledger,
          { number, place, at },
          { want: (rows) => want(rows, entry), importEntry: (how) => importEntry(ledger, entry, how) },
        ),
    }))
  if (found.list === 'AGREEMENTS') return decisions(found.entries, wantFoundAgreement, importAgreement)
  if (found.list === 'PAYOUTS') return decisions(found.entries, wantFoundPayout, importPayout)
  return decisions(found.entries, wantFoundPayment, importPayment)
}

type How = { readonly at: Date; readonly dryRun: boolean }

function recordEntry(
  ledger: Ledger,
  { number, place, at }: Pick<ImportedPage, 'number' | 'place' | 'at'>,
  { want, importEntry }: { readonly want: (rows: Rows) => void; readonly importEntry: (how: How) => ImportedEntry },
): string {
  const { rows } = ledger
  rows.imports.want('number', String(number))
  want(rows)
  const current = importAt(rows, number, place)
  if (current === null) return ''
  const entry = importEntry({ at, dryRun: current.dryRun })
  const key = `${entryPrefix(number, place.part)}${entry.countedAs}`
  if (rows.importEntries.first('key', key) !== null) return entry.countedAs
  rows.importEntries.put({ key })
  rows.imports.put(withReport(current, place.part, withEntry(reportOf(current, place.part), entry)))
  return entry.countedAs
}

/** Notes an entry that could not be compared or recorded, so that the import goes on without it. */
export function setAside(rows: Rows, { number, place }: Pick<ImportedPage, 'number' | 'place'>, id: string): void {
  rows.imports.want('number', String(number))
  const key = `${entryPrefix(number, place.part)}${id}`
  if (rows.importEntries.first('key', key) !== null) return
  const current = importAt(rows, number, place)
  if (current === null) return
  rows.importEntries.put({ key })
  rows.imports.put(withReport(current, place.part, withFailed(reportOf(current, place.part), id)))
}

/** Moves an import on after a page whose entries are recorded. */
export function leavePage(
  rows: Rows,
  { number, place, totalPages }: Pick<ImportedPage, 'number' | 'place' | 'totalPages'>,
  ids: readonly string[],
): void {
  const current = importAt(rows, number, place)
  if (current === null) return
  const next = afterPage(current.plan, place, { ids: ids.join(' '), isEmpty: ids.length === 0, totalPages })
  rows.imports.put(movedTo(current, next))
}

/** Records what `absent` returned: what is on record here and was not in the list. Moves the import on. */
export function recordAbsent({ rows }: Ledger, number: number, place: CheckPlace, absent: AbsentObjects): void {
  const current = importAt(rows, number, place)
  if (current === null) return
  const report = absent.objects.reduce(withAbsent, reportOf(current, place.part))
  rows.imports.put(movedTo(withReport(current, place.part, report), afterCheck(place, absent.next)))
}

/** Gives up the list of a place, for a reason, and moves the import to the next one. */
export function giveUpPart({ rows }: Ledger, number: number, place: ImportPlace, problem: ImportProblem): void {
  const current = importAt(rows, number, place)
  if (current === null) return
  const report = giveUp(reportOf(current, place.part), problem)
  rows.imports.put(movedTo(withReport(current, place.part, report), { kind: 'DONE', part: place.part }))
}

function giveUp(report: PartReport, problem: ImportProblem): PartReport {
  return { ...report, problem }
}

/** Ends a running import at the places where it is. Returns it as it was if it has ended, and null if there is none. */
export function cancelImport(rows: Rows, number: number): PaymentImport | null {
  const current = rows.imports.first('number', String(number))
  if (current === null || current.doneAt !== null) return current
  const isRead = (part: number) => current.places[part]?.kind === 'DONE'
  const cancelled = {
    ...current,
    places: current.places.map((_, part) => ({ kind: 'DONE', part }) as const),
    reports: current.reports.map((report, part) => (isRead(part) ? report : giveUp(report, 'CANCELLED'))),
  }
  rows.imports.put(cancelled)
  return cancelled
}

/** Returns a running import that is still at a place; null if another process has moved it on. */
function importAt(rows: Rows, number: number, place: ImportPlace): PaymentImport | null {
  const current = rows.imports.first('number', String(number))
  if (current === null || current.doneAt !== null) return null
  return JSON.stringify(current.places[place.part]) === JSON.stringify(place) ? current : null
}

function movedTo(current: PaymentImport, place: ImportPlace): PaymentImport {
  return { ...current, places: current.places.with(place.part, place) }
}

function reportOf(current: PaymentImport, part: number): PartReport {
  return current.reports[part] ?? emptyReport(partAt(current.plan, { kind: 'DONE', part }))
}

function withReport(current: PaymentImport, part: number, report: PartReport): PaymentImport {
  return { ...current, reports: current.reports.with(part, report) }
}
