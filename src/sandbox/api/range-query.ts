import { Fields } from '../values/request-fields.ts'
import type { Problems } from '../values/request-fields.ts'
import { readCount, readMoment } from './query-values.ts'

/** The parsed query for a range of days: `from` and `to` are inclusive, `page` counts from 1. */
export type RangeQuery = { fromText: string; toText: string; from: Date; to: Date; page: number; size: number }

export type RangeRules = { pageIsRequired: boolean; takesSize: boolean; longestMs?: number }

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
const LARGEST_PAGE = 100

function noteSpan(fields: Fields, spanMs: number, longestMs = Number.POSITIVE_INFINITY): void {
  if (spanMs < 0) fields.fail('to_date', 'is before from_date')
  if (spanMs > longestMs) fields.fail('to_date', 'is more than a year after from_date')
}
