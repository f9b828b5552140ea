const SHAPE = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?\s*(Z|[+-]\d\d:?\d\d)?$/i

const MINUTE_MS = 60_000

/**
 * Reads an instant as the service writes them, `2026-12-31T00:00:00.000+0000` or `...Z`, and gives it in UTC with
 * milliseconds. Without a zone it is UTC. Null for an empty text, for a date that the calendar does not have, and for a
 * number: nothing tells its unit. Source: gap sheet, sections 25.1 and 26.
 */
export function instantFromWire(json: unknown): string | null {
  const match = typeof json === 'string' ? SHAPE.exec(json.trim()) : null
  if (match === null) return null
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number)
  const milliseconds = Number((match[7] ?? '').padEnd(3, '0').slice(0, 3))
  const offset = offsetMinutes(match[8] ?? 'Z')
  const local = Date.UTC(year, month - 1, day, hour, minute, second, milliseconds)
  const written = `${match[1]}-${match[2]}-${match[3]}T${match[4]}:${match[5]}:${match[6]}`
  if (offset === null || !new Date(local).toISOString().startsWith(written)) return null
  const instant = new Date(local - offset * MINUTE_MS).toISOString()
  return /^\d{4}-/.test(instant) ? instant : null
}

function offsetMinutes(zone: string): number | null {
  if (zone.toUpperCase() === 'Z') return 0
  const hours = Number(zone.slice(1, 3))
  const minutes = Number(zone.slice(-2))
  if (hours > 14 || minutes > 59) return null
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}

/**
 * Puts an instant on the wire in whole seconds of UTC, `2026-12-31T00:00:00`: the form in which requests name instants
 * (gap sheet, section 26). `upwards` gives the next whole second, for the end of a span. Throws `RangeError` for an
 * invalid date.
 */
export function instantToWire(instant: Date, upwards = false): string {
  const seconds = instant.getTime() / 1000
  return new Date((upwards ? Math.ceil(seconds) : Math.floor(seconds)) * 1000).toISOString().slice(0, 19)
}
