import { tidied } from '../lib/text.ts'
import { present, problem, type Problem, TEXT, textProblem } from './field-problems.ts'
import { amountProblem, compareDecimals, isZero } from './money/money.ts'
import type { PaymentPhase } from './payments/payment-report.ts'

/** Maximum size of a page, and of a list in a filter. */
export const MAX_PAGE = 100

/** The conditions of a list, joined by and, values within one by or. Each list has those that its rows have values for. */
export type ListFilter = {
  readonly ids?: readonly string[]
  /** The merchant's own reference: of a payment, its own or that of its link or payin. */
  readonly reference?: string
  /** Of an agreement. */
  readonly clientTransactionId?: string
  readonly ownerId?: string
  readonly methodCode?: string
  readonly currency?: string
  readonly site?: string
  /** As the payments API writes them. */
  readonly statuses?: readonly string[]
  /** Phases of the payment that determines a link's state; IN_PROGRESS includes links without a payment that have not expired. */
  readonly phases?: readonly PaymentPhase[]
  readonly amount?: AmountRange
  readonly cardLast4?: string
  /** True for duplicates that are not resolved, false for all other payments. */
  readonly duplicate?: boolean
  /** When it was first recorded; of an agreement when the payments API created it, if that is known. */
  readonly createdFrom?: Date
  readonly createdBefore?: Date
  readonly updatedFrom?: Date
  readonly updatedBefore?: Date
}

/** Amounts of one currency; both ends are inclusive. */
export type AmountRange = {
  readonly currency: string
  readonly min?: string | null | undefined
  readonly max?: string | null | undefined
}

type WithNulls<Filter> = { readonly [Key in keyof Filter]: Filter[Key] | null | undefined }

/**
 * Returns a filter without its null fields, which a client may send for unused ones, its texts in composed letters and without invisible
 * characters around them, its lists without repeats, and its statuses as the payments API writes them.
 */
export function normaliseFilter(filter: WithNulls<ListFilter> | null | undefined): ListFilter {
  return Object.fromEntries(
    Object.entries(filter ?? {}).flatMap(([name, value]) =>
      value === null || value === undefined ? [] : [[name, normalised(name, value)]],
    ),
  )
}

function normalised(name: string, value: unknown): unknown {
  if (typeof value === 'string') return tidied(value)
  if (!Array.isArray(value)) return value
  return [...new Set(name === 'statuses' ? value.map((status) => String(status).toLowerCase()) : value)]
}

/** Returns what is wrong with a filter: texts, lists that are too long, and ranges that contradict themselves. */
export function filterProblems(filter: ListFilter): Problem[] {
  const { amount, currency, cardLast4 } = filter
  const ends = (['created', 'updated'] as const).map((name) => {
    const [from, before] = [filter[`${name}From`], filter[`${name}Before`]]
    const isEmpty = from !== undefined && before !== undefined && from >= before
    return problem(isEmpty ? `must lie after ${name}From` : null, [`${name}Before`])
  })
  const ofValues = Object.entries(filter).map(([name, value]) => {
    if (typeof value === 'string') return textProblem(value, TEXT, [name])
    return Array.isArray(value) && value.length > MAX_PAGE
      ? problem(`must have at most ${MAX_PAGE} different values`, [name])
      : null
  })
  return present([
    ...ofValues,
    ...ends,
    cardLast4 === undefined || /^\d{4}$/.test(cardLast4) ? null : problem('must be four digits', ['cardLast4']),
    ...(amount === undefined ? [] : amountRangeProblems(amount, currency)),
  ])
}

function amountRangeProblems({ currency, min, max }: AmountRange, other: string | undefined): (Problem | null)[] {
  const found = Object.entries({ min, max }).map(([name, value]) =>
    problem(value == null || isZero(value) ? null : amountProblem({ value, currency }), ['amount', name]),
  )
  if (present(found).length > 0) return found
  const isOther = other !== undefined && other !== currency
  const isEmpty = min != null && max != null && compareDecimals(min, max) > 0
  return [
    problem(isOther ? 'must be the currency of the filter' : null, ['amount', 'currency']),
    problem(isEmpty ? 'must not be below min' : null, ['amount', 'max']),
  ]
}
