const SHAPE = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?\s*(Z|[+-]\d\d:?\d\d)?$/i

const MINUTE_MS = 60_000

/**
 * Reads an instant in the payments API's format, `2026-12-31T00:00:00.000+0000` or `...Z`, and returns it in UTC with
 * milliseconds. Without a zone it is UTC. Null for an empty text, for a date that does not exist, and for a number, whose unit is
 * not known. Source: gap sheet, sections 25.1 and 26.
 */
export function instantFromWire(json: unknown): string | null {
  const match = typeof json === 'string' ? SHAPE.exec(json.trim()) : null
  if (match === null) return null
  const [, year = '', month = '', day = '', hour = '', minute = '', second = '', decimals = '', zone = 'Z'] = match
  const offset = offsetMinutes(zone)
  if (offset === null || !isInCalendar(+year, +month, +day) || hour > '23' || minute > '59' || second > '59')
    return null
  const local = `${year}-${month}-${day}T${hour}:${minute}:${second}.${decimals.padEnd(3, '0').slice(0, 3)}Z`
  if (offset === 0) return local
  const instant = new Date(Date.parse(local) - offset * MINUTE_MS).toISOString()
  return /^\d{4}-/.test(instant) ? instant : null
}

const LONG_MONTHS: ReadonlySet<number> = new Set([1, 3, 5, 7, 8, 10, 12])

/** Returns whether the day exists in the Gregorian calendar. Years below 100 are not accepted. */
function isInCalendar(year: number, month: number, day: number): boolean {
  if (year < 100 || month < 1 || month > 12 || day < 1) return false
  if (month !== 2) return day <= (LONG_MONTHS.has(month) ? 31 : 30)
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return day <= (isLeap ? 29 : 28)
}

function offsetMinutes(zone: string): number | null {
  if (zone.toUpperCase() === 'Z') return 0
  const hours = Number(zone.slice(1, 3))
  const minutes = Number(zone.slice(-2))
  if (hours > 14 || minutes > 59) return null
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}

/**
 * Returns an instant in whole seconds of UTC, `2026-12-31T00:00:00`: the format of instants in requests (gap sheet, section 26).
 * With `upwards` it is rounded up, for the end of an interval. Throws `RangeError` for an invalid date.
 */
export function instantToWire(instant: Date, upwards = false): string {
  const seconds = instant.getTime() / 1000
  return new Date((upwards ? Math.ceil(seconds) : Math.floor(seconds)) * 1000).toISOString().slice(0, 19)
}
