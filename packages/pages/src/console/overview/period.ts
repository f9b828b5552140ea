import type { PaymentStatisticsInterval } from '../generated/graphql.ts'
import { hourText } from '../pieces/moments.tsx'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

type Length = { readonly name: string; readonly interval: PaymentStatisticsInterval; readonly count: number }

/** The lengths that can be chosen; the first one is the default. */
export const LENGTHS: readonly [Length, ...Length[]] = [
  { name: '24 hours', interval: 'HOUR', count: 24 },
  { name: '7 days', interval: 'DAY', count: 7 },
  { name: '30 days', interval: 'DAY', count: 30 },
]

/** Intervals that end with the current one: hours, or days in UTC. */
export type Period = {
  readonly name: string
  readonly interval: PaymentStatisticsInterval
  /** When the intervals begin, the first one first, in milliseconds. */
  readonly starts: readonly number[]
  readonly from: string
  /** The begin of a period of the same length before it. */
  readonly before: string
}

/** Returns the period of a length that ends now. */
export function periodUntil(now: number, { name, interval, count }: Length): Period {
  const step = interval === 'HOUR' ? HOUR_MS : DAY_MS
  const last = Math.floor(now / step) * step
  const starts = Array.from({ length: count }, (_, index) => last - (count - 1 - index) * step)
  const from = last - (count - 1) * step
  return { name, interval, starts, from: isoOf(from), before: isoOf(from - count * step) }
}

function isoOf(at: number): string {
  return new Date(at).toISOString()
}

/** Returns the name of an interval: `14:00`, `27 Nov`. */
export function intervalText(interval: PaymentStatisticsInterval, at: number): string {
  if (interval === 'HOUR') return hourText(at)
  return new Intl.DateTimeFormat(navigator.language, { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(at)
}

/** Returns the row of each interval, in their order; undefined for an interval without payments. */
export function byInterval<Row extends { readonly start: string | null }>(
  { starts }: Period,
  rows: readonly Row[],
): (Row | undefined)[] {
  const byStart = new Map(rows.map((row) => [Date.parse(row.start ?? ''), row]))
  return starts.map((start) => byStart.get(start))
}

type Ended = { readonly paidCount: number; readonly unpaidCount: number }

/** Returns the part of the payments that have ended that were paid; null while none has ended. */
export function rateOf(ended: Ended | undefined): number | null {
  if (ended === undefined) return null
  const count = ended.paidCount + ended.unpaidCount
  return count === 0 ? null : ended.paidCount / count
}

/** Returns a rate in per cent: `88.5 %`; a dash for none. */
export function rateText(rate: number | null): string {
  return rate === null ? '–' : `${numberText(rate * 100, 1)} %`
}

/** Returns a number in the user's locale. */
export function numberText(value: number, decimals = 0): string {
  const format = { minimumFractionDigits: decimals, maximumFractionDigits: decimals }
  return new Intl.NumberFormat(navigator.language, format).format(value)
}

/** Returns seconds in at most two units: `1 min 23 s`. */
export function secondsText(seconds: number): string {
  const whole = Math.round(seconds)
  const units = [Math.floor(whole / 3_600), Math.floor((whole % 3_600) / 60), whole % 60]
  const parts = ['h', 'min', 's'].flatMap((unit, index) => (units[index] ? [`${units[index]} ${unit}`] : []))
  return parts.slice(0, 2).join(' ') || '0 s'
}
