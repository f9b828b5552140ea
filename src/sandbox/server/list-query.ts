import type { LinkFilter } from '../links.ts'
import { isPaymentStatus } from '../status.ts'

/** The query of the link list, read; `page` counts from 1. */
export type ListQuery = { filter: LinkFilter; page: number; perPage: number }

/**
 * Reads the query of the link list. The names are those of the siblings (gap sheet, sections 5.3 and 10); dates are
 * `DD/MM/YY` or `YYYY-MM-DDThh:mm:ss`, in UTC. Other parameters are ignored.
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
const DAY = /^(\d\d)\/(\d\d)\/(\d\d)$/
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?Z?$/

function readCount(text: string | null, otherwise: number): number | undefined {
  if (text === null) return otherwise
  return /^[1-9]\d{0,6}$/.test(text) ? Number(text) : undefined
}

/** A day stands for its first moment or its last one, so that both ends of a range belong to it. */
function readMoment(text: string | null, edge: 'start' | 'end'): Date | 'invalid' | undefined {
  if (text === null) return undefined
  const day = DAY.exec(text)
  const clock = edge === 'start' ? '00:00:00.000' : '23:59:59.999'
  const iso = day ? `20${day[3]}-${day[2]}-${day[1]}T${clock}Z` : MOMENT.test(text) ? `${text.replace(/Z$/, '')}Z` : ''
  const moment = new Date(iso)
  return Number.isNaN(moment.getTime()) ? 'invalid' : moment
}
