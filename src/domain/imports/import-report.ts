import { sumDecimals } from '../money/money.ts'
import type { ImportedList, ImportPart } from './imported-lists.ts'

/**
 * What an entry of a list was. EQUAL: on record, and the same. DIFFERED: on record in another state, which is read back. ADDED: not on record
 * until now. PASSED_OVER: nothing to record, such as a link without a payment that was made elsewhere.
 */
export const ENTRY_OUTCOMES = ['EQUAL', 'DIFFERED', 'ADDED', 'PASSED_OVER'] as const

export type EntryOutcome = (typeof ENTRY_OUTCOMES)[number]

/** Why a list could not be read to its end. FAULT: a mistake of this program, which is logged. */
export const IMPORT_PROBLEMS = [
  'NOT_CONFIGURED',
  'CREDENTIALS_REJECTED',
  'REFUSED',
  'UNREADABLE',
  'FAULT',
  'CANCELLED',
] as const

export type ImportProblem = (typeof IMPORT_PROBLEMS)[number]

/** Decimals of one currency; null for what is not known. */
export type Amounts = {
  readonly currency: string | null
  readonly amount: string | null
  readonly paid: string | null
  readonly refunded: string | null
}

/** The sums of payments or payouts. A sum counts what is not known as nothing. */
export type Sums = {
  readonly count: number
  readonly amount: string
  readonly paid: string
  readonly refunded: string
}

/** What the payments API has in a currency, and what is on record here of the same interval. */
export type CurrencyTotals = { readonly currency: string; readonly theirs: Sums; readonly ours: Sums }

/** The result of one list of one site. */
export type PartReport = ImportPart & {
  readonly listed: number
  readonly equal: number
  readonly differed: number
  readonly added: number
  readonly passedOver: number
  /** Entries that could not be compared or recorded, for a mistake of this program. */
  readonly failed: number
  /** Objects that are on record here, and that the list does not have. */
  readonly absent: number
  /** The first of each, at most `MOST_IDS`. */
  readonly differedIds: readonly string[]
  readonly addedIds: readonly string[]
  readonly absentIds: readonly string[]
  readonly failedIds: readonly string[]
  /** By currency, in alphabetical order. Agreements have none. */
  readonly totals: readonly CurrencyTotals[]
  /** Null if the list was read, or is being read. */
  readonly problem: ImportProblem | null
}

/** An entry that was compared with the record. */
export type ComparedEntry = {
  readonly id: string
  readonly outcome: EntryOutcome
  /** Null for what is no payment or payout. */
  readonly theirs: Amounts | null
  /** Null if it was not on record. */
  readonly ours: Amounts | null
}

/** Ids of one kind in a report. */
export const MOST_IDS = 50

/** Returns the report of a part of which nothing was read. */
export function emptyReport({ site, list }: ImportPart): PartReport {
  return {
    site,
    list,
    listed: 0,
    equal: 0,
    differed: 0,
    added: 0,
    passedOver: 0,
    failed: 0,
    absent: 0,
    differedIds: [],
    addedIds: [],
    absentIds: [],
    failedIds: [],
    totals: [],
    problem: null,
  }
}

/** Returns the report with an entry of the list. */
export function withEntry(report: PartReport, { id, outcome, theirs, ours }: ComparedEntry): PartReport {
  const counted = { ...report, ...counts(report, outcome), listed: report.listed + 1 }
  return {
    ...counted,
    differedIds: outcome === 'DIFFERED' ? bounded(report.differedIds, id) : report.differedIds,
    addedIds: outcome === 'ADDED' ? bounded(report.addedIds, id) : report.addedIds,
    totals: withAmounts(withAmounts(report.totals, 'theirs', theirs), 'ours', ours),
  }
}

/** Returns the report with an entry that could not be compared or recorded. */
export function withFailed(report: PartReport, id: string): PartReport {
  const { listed, failed, failedIds } = report
  return { ...report, listed: listed + 1, failed: failed + 1, failedIds: bounded(failedIds, id) }
}

/** Returns the report with an object that is on record here and that the list does not have. */
export function withAbsent(report: PartReport, { id, ours }: Pick<ComparedEntry, 'id' | 'ours'>): PartReport {
  return {
    ...report,
    absent: report.absent + 1,
    absentIds: bounded(report.absentIds, id),
    totals: withAmounts(report.totals, 'ours', ours),
  }
}

function counts(
  { equal, differed, added, passedOver }: PartReport,
  outcome: EntryOutcome,
): Pick<PartReport, 'equal' | 'differed' | 'added' | 'passedOver'> {
  return {
    equal: equal + (outcome === 'EQUAL' ? 1 : 0),
    differed: differed + (outcome === 'DIFFERED' ? 1 : 0),
    added: added + (outcome === 'ADDED' ? 1 : 0),
    passedOver: passedOver + (outcome === 'PASSED_OVER' ? 1 : 0),
  }
}

function bounded(ids: readonly string[], id: string): readonly string[] {
  return ids.length < MOST_IDS ? [...ids, id] : ids
}

const NOTHING: Sums = { count: 0, amount: '0', paid: '0', refunded: '0' }

/** Amounts without a currency cannot be added to others. */
function withAmounts(
  totals: readonly CurrencyTotals[],
  whose: 'theirs' | 'ours',
  amounts: Amounts | null,
): readonly CurrencyTotals[] {
  const currency = amounts?.currency ?? null
  if (amounts === null || currency === null) return totals
  const before = totals.find((total) => total.currency === currency) ?? { currency, theirs: NOTHING, ours: NOTHING }
  const after = { ...before, [whose]: plus(before[whose], amounts) }
  const others = totals.filter((total) => total.currency !== currency)
  return [...others, after].toSorted((a, b) => (a.currency < b.currency ? -1 : 1))
}

function plus({ count, amount, paid, refunded }: Sums, added: Amounts): Sums {
  return {
    count: count + 1,
    amount: sumDecimals([amount, added.amount ?? '0']),
    paid: sumDecimals([paid, added.paid ?? '0']),
    refunded: sumDecimals([refunded, added.refunded ?? '0']),
  }
}

/** What is compared in sums: payments, through links or without, and payouts. */
export type ComparedKind = 'PAYMENTS' | 'PAYOUTS'

/** The sums of a kind in a currency, at one site or, if it is null, at all of them. `difference` is theirs without ours. */
export type ReconciledTotal = CurrencyTotals & {
  readonly site: string | null
  readonly kind: ComparedKind
  readonly difference: Sums
}

/** Returns the sums by site, kind and currency, in the order of the sites in the reports, and after them those of all sites together. */
export function reconciledTotals(reports: readonly PartReport[]): ReconciledTotal[] {
  const sites = new Set(reports.map(({ site }) => site))
  const bySite = [...sites].flatMap((site) =>
    totalsOf(
      reports.filter((report) => report.site === site),
      site,
    ),
  )
  return [...bySite, ...totalsOf(reports, null)]
}

const KINDS: readonly ComparedKind[] = ['PAYMENTS', 'PAYOUTS']

function totalsOf(reports: readonly PartReport[], site: string | null): ReconciledTotal[] {
  return KINDS.flatMap((kind) => {
    const totals = reports.filter(({ list }) => kindOf(list) === kind).flatMap((report) => report.totals)
    const currencies = [...new Set(totals.map(({ currency }) => currency))].toSorted()
    return currencies.map((currency) => {
      const own = totals.filter((total) => total.currency === currency)
      const theirs = summed(own.map((total) => total.theirs))
      const ours = summed(own.map((total) => total.ours))
      return { site, kind, currency, theirs, ours, difference: summed([theirs, negated(ours)]) }
    })
  })
}

function kindOf(list: ImportedList): ComparedKind | null {
  if (list === 'AGREEMENTS') return null
  return list === 'PAYOUTS' ? 'PAYOUTS' : 'PAYMENTS'
}

function summed(sums: readonly Sums[]): Sums {
  return {
    count: sums.reduce((total, { count }) => total + count, 0),
    amount: sumDecimals(sums.map(({ amount }) => amount)),
    paid: sumDecimals(sums.map(({ paid }) => paid)),
    refunded: sumDecimals(sums.map(({ refunded }) => refunded)),
  }
}

function negated({ count, amount, paid, refunded }: Sums): Sums {
  const minus = (decimal: string) => (decimal.startsWith('-') ? decimal.slice(1) : `-${decimal}`)
  return { count: -count, amount: minus(amount), paid: minus(paid), refunded: minus(refunded) }
}
