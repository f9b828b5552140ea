import { parseMoment } from '../state/moments.ts'

/** Parses a positive integer of a query. Returns `otherwise` when it is absent, undefined for any other text. */
export function readCount(text: string | null, otherwise: number): number | undefined {
  if (text === null) return otherwise
  return /^[1-9]\d{0,6}$/.test(text) ? Number(text) : undefined
}

/**
 * Parses an instant of a query: `DD/MM/YY` or `YYYY-MM-DDThh:mm:ss`, in UTC (gap sheet, section 10). A day means its first
 * or its last instant (`edge`), so that a range includes both of its days.
 */
export function readMoment(text: string | null, edge: 'start' | 'end'): Date | 'invalid' | undefined {
  if (text === null) return undefined
  const [, day, month, year] = DAY.exec(text) ?? []
  const clock = edge === 'start' ? '00:00:00.000' : '23:59:59.999'
  return parseMoment(day === undefined ? text : `20${year}-${month}-${day}T${clock}`) ?? 'invalid'
}

const DAY = /^(\d\d)\/(\d\d)\/(\d\d)$/
