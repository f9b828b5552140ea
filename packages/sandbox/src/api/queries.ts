import type { LinkFilter } from '../payments/link-actions.ts'
import { parseMoment } from '../state/clock.ts'
import { isPaymentStatus } from '../state/link.ts'
import { Fields, type Problems } from '../values/request-fields.ts'

/** The parsed query of the link list; `page` counts from 1. */
type ListQuery = { filter: LinkFilter; page: number; perPage: number }

/**
 * Parses the query of the link list. The parameter names are those of the sibling endpoints (gap sheet, sections 5.3 and
 * 10); dates are `DD/MM/YY` or `YYYY-MM-DDThh:mm:ss`, in UTC. Other parameters are ignored.
 */
export function readListQuery(query: URLSearchParams): ListQuery | { problem: string } {
  const status = query.get('status') ?? undefined
  const from = readMoment(query.get('from_date'), 'start')
  const to = readMoment(query.get('to_date'), 'end')
  const page = readCount(query.get('page'), 1)
  const perPage = readCount(query.get('per_page'), DEFAULT_PAGE_SIZE)
  if (status !== undefined && !isPaymentStatus(status)) return { problem: 'status is not known' }
  if (from === 'invalid') return { problem: 'from_date is not a date' }
  if (to === 'invalid') return { problem: 'to_date is not a date' }
  if (page === undefined) return { problem: 'page is not a positive integer' }
  if (perPage === undefined || perPage > LARGEST_PAGE) return { problem: `per_page is not from 1 to ${LARGEST_PAGE}` }
  return {
    filter: {
      ...(status === undefined ? {} : { status }),
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
    },
    page,
    perPage,
  }
}

/** Returns one page of the results, in the envelope of the gap sheet, section 10. */
export function listPage<T>(found: readonly T[], { page, perPage }: ListQuery, show: (item: T) => object): object {
  return {
    total: found.length,
    total_page: Math.ceil(found.length / perPage),
    page,
    per_page: perPage,
    records: found.slice((page - 1) * perPage, page * perPage).map((item) => show(item)),
  }
}

const DEFAULT_PAGE_SIZE = 20
const LARGEST_PAGE = 100

/** The parsed query for a range of days: `from` and `to` are inclusive, `page` counts from 1. */
type RangeQuery = { fromText: string; toText: string; from: Date; to: Date; page: number; size: number }

type RangeRules = { pageIsRequired: boolean; takesSize: boolean; longestMs?: number }

/** Parses `from_date`, `to_date`, `page` and `size` (gap sheet, sections 16 and 19), or returns every problem. */
export function readRangeQuery(query: URLSearchParams, rules: RangeRules): RangeQuery | { problems: Problems } {
  const fields = new Fields(Object.fromEntries(query))
  const [fromText, toText] = [fields.text('from_date'), fields.text('to_date')]
  const [from, to] = [readMoment(fromText, 'start'), readMoment(toText, 'end')]
  if (rules.pageIsRequired) fields.required('page')
  const page = readCount(query.get('page'), 1)
  const size = rules.takesSize ? readCount(query.get('size'), PAGE_SIZE) : PAGE_SIZE
  if (!(from instanceof Date)) fields.fail('from_date', 'is not a date')
  if (!(to instanceof Date)) fields.fail('to_date', 'is not a date')
  if (page === undefined) fields.fail('page', 'is not a positive integer')
  if (size === undefined || size > LARGEST_PAGE) fields.fail('size', `is not from 1 to ${LARGEST_PAGE}`)
  if (from instanceof Date && to instanceof Date) noteSpan(fields, to.getTime() - from.getTime(), rules.longestMs)
  if (!fields.isClean || !(from instanceof Date) || !(to instanceof Date)) return { problems: fields.problems }
  return { fromText, toText, from, to, page: page ?? 1, size: size ?? PAGE_SIZE }
}

/** Returns one page of the results, in the envelope of the gap sheet, sections 16 and 19. */
export function rangePage<T>(found: readonly T[], query: RangeQuery, show: (item: T) => object): object {
  const { page, size } = query
  const totalPages = Math.ceil(found.length / size)
  return {
    from_date: query.fromText,
    to_date: query.toText,
    page,
    size,
    next_page: page < totalPages ? page + 1 : null,
    total_page: totalPages,
    total_count: found.length,
    records: found.slice((page - 1) * size, page * size).map((item) => show(item)),
  }
}

/** A list of payouts: at most one year, including leap years, with both days inclusive (gap sheet, section 19). */
export const PAYOUT_LIST: RangeRules = {
  pageIsRequired: true,
  takesSize: false,
  longestMs: 367 * 24 * 3600 * 1000 - 1,
}

const PAGE_SIZE = 20

function noteSpan(fields: Fields, spanMs: number, longestMs = Number.POSITIVE_INFINITY): void {
  if (spanMs < 0) fields.fail('to_date', 'is before from_date')
  if (spanMs > longestMs) fields.fail('to_date', 'is more than a year after from_date')
}

/** Parses a positive integer of a query. Returns `otherwise` when it is absent, undefined for any other text. */
function readCount(text: string | null, otherwise: number): number | undefined {
  if (text === null) return otherwise
  return /^[1-9]\d{0,6}$/.test(text) ? Number(text) : undefined
}

/**
 * Parses an instant of a query: `DD/MM/YY` or `YYYY-MM-DDThh:mm:ss`, in UTC (gap sheet, section 10). A day means its first
 * or its last instant (`edge`), so that a range includes both of its days.
 */
function readMoment(text: string | null, edge: 'start' | 'end'): Date | 'invalid' | undefined {
  if (text === null) return undefined
  const [, day, month, year] = DAY.exec(text) ?? []
  const clock = edge === 'start' ? '00:00:00.000' : '23:59:59.999'
  return parseMoment(day === undefined ? text : `20${year}-${month}-${day}T${clock}`) ?? 'invalid'
}

const DAY = /^(\d\d)\/(\d\d)\/(\d\d)$/
