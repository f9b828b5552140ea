import type { LinkFilter } from '../payments/link-actions.ts'
import { isPaymentStatus } from '../payments/status.ts'
import { readCount, readMoment } from './query-values.ts'

/** The parsed query of the link list; `page` counts from 1. */
export type ListQuery = { filter: LinkFilter; page: number; perPage: number }

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

const DEFAULT_PAGE_SIZE = 20
const LARGEST_PAGE = 100
