import { parseMoment } from '../state/moments.ts'

/** A positive integer of a query; `otherwise` when absent, undefined for any other text. */
export function readCount(text: string | null, otherwise: number): number | undefined {
  if (text === null) return otherwise
  return /^[1-9]\d{0,6}$/.test(text) ? Number(text) : undefined
}

/**
 * A moment of a query: `DD/MM/YY` or `YYYY-MM-DDThh:mm:ss`, in UTC (gap sheet, section 10). A day stands for its first
 * moment or its last one, so that both ends of a range belong to it.
 */
export function readMoment(text: string | null, edge: 'start' | 'end'): Date | 'invalid' | undefined {
  if (text === null) return undefined
  const [, day, month, year] = DAY.exec(text) ?? []
  const clock = edge === 'start' ? '00:00:00.000' : '23:59:59.999'
  return parseMoment(day === undefined ? text : `20${year}-${month}-${day}T${clock}`) ?? 'invalid'
}

const DAY = /^(\d\d)\/(\d\d)\/(\d\d)$/
