import { ExactNumber } from '../../lib/exact-json.ts'

/** Keys of the objects that stand for values which JSON does not have. No key of a request begins with this character. */
const DATE = '\u0000date'
const BIGINT = '\u0000bigint'
const NUMBER = '\u0000number'

/** Returns a value of the sandbox's state as text: JSON, with dates, big integers and exact numbers as tagged objects. */
export function encodeValue(value: unknown): string {
  return JSON.stringify(tagged(value))
}

/** Returns the value of a text that `encodeValue` made. */
export function decodeValue(text: string): unknown {
  return JSON.parse(text, (_key, value: unknown) => {
    if (typeof value !== 'object' || value === null) return value
    const { [DATE]: date, [BIGINT]: units, [NUMBER]: digits } = value as Readonly<Record<string, unknown>>
    if (typeof date === 'string') return new Date(date)
    if (typeof units === 'string') return BigInt(units)
    return typeof digits === 'string' ? new ExactNumber(digits) : value
  })
}

function tagged(value: unknown): unknown {
  if (typeof value === 'bigint') return { [BIGINT]: String(value) }
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Date) return { [DATE]: value.toISOString() }
  if (value instanceof ExactNumber) return { [NUMBER]: value.text }
  if (Array.isArray(value)) return value.map(tagged)
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, tagged(inner)]))
}
