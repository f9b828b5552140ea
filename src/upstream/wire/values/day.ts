/**
 * Reads a day as the payments API writes them, `31/12/26` in UTC, and gives `2026-12-31`; a day in ISO form is taken too. Null
 * for another text, and for a day that the calendar does not have. Source: payments-api.md, section 2.2.
 */
export function dayFromWire(json: unknown): string | null {
  if (typeof json !== 'string') return null
  const text = json.trim()
  const match = /^(\d\d)\/(\d\d)\/(?:20)?(\d\d)$/.exec(text)
  return realDay(match === null ? text.slice(0, LONGEST_DAY) : `20${match[3]}-${match[2]}-${match[1]}`)
}

/**
 * Puts a day, `2026-12-31`, on the wire as `31/12/26`. Null for a text that is no day, and for one outside the years 2000
 * to 2099, whose century two digits cannot tell.
 */
export function dayToWire(day: string): string | null {
  const [, year, month, date] = /^20(\d\d)-(\d\d)-(\d\d)$/.exec(realDay(day) ?? '') ?? []
  return year === undefined ? null : `${date}/${month}/${year}`
}

/** Enough to see that a longer text is none. */
const LONGEST_DAY = 11

function realDay(day: string): string | null {
  if (!/^\d{4}-\d\d-\d\d$/.test(day)) return null
  const midnight = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day) ? day : null
}
