/**
 * Reads a day in the payments API's format, `31/12/26` in UTC, and returns `2026-12-31`; a day in ISO format is accepted too.
 * Null for any other text, and for a day that does not exist. Source: docs/payments-api.md, section 2.2.
 */
export function dayFromWire(json: unknown): string | null {
  if (typeof json !== 'string') return null
  const text = json.trim()
  const match = /^(\d\d)\/(\d\d)\/(?:20)?(\d\d)$/.exec(text)
  return realDay(match === null ? text.slice(0, LONGEST_DAY) : `20${match[3]}-${match[2]}-${match[1]}`)
}

/**
 * Converts a day, `2026-12-31`, to the wire format `31/12/26`. Null for a text that is no day, and for years outside 2000 to
 * 2099, because two digits do not give the century.
 */
export function dayToWire(day: string): string | null {
  const [, year, month, date] = /^20(\d\d)-(\d\d)-(\d\d)$/.exec(realDay(day) ?? '') ?? []
  return year === undefined ? null : `${date}/${month}/${year}`
}

/** Texts are cut to this length: one character more than the longest valid day. */
const LONGEST_DAY = 11

/** Returns the text if it is a day of the calendar, `2026-12-31`; otherwise null. */
export function realDay(day: string): string | null {
  if (!/^\d{4}-\d\d-\d\d$/.test(day)) return null
  const midnight = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day) ? day : null
}
