import { z } from 'zod'
import { ExactNumber } from '../../../lib/exact-json.ts'
import {
  isRecord,
  readCurrency,
  readDecimal,
  readFlag,
  readInstant,
  readStatus,
  readText,
  readUrl,
  textFrom,
  usableUuid,
} from './readers.ts'

export { isRecord, type JsonRecord, textFrom, usableMethodCode, usableUuid } from './readers.ts'

/** A field that never fails: absent or unreadable values give `reader(null)`. */
export const lenient = <Value>(reader: (json: unknown) => Value) => z.unknown().default(null).transform(reader)

/** A text of at most `length` UTF-16 units, or null. */
export const text = (length: number) => lenient(readText(length))
export const decimal = lenient(readDecimal)
export const instant = lenient(readInstant)
export const uuid = lenient(usableUuid)
export const url = lenient(readUrl)

/** A status as received; null if it is not a short word. */
export const status = lenient(readStatus)

/** A text, or the digits of a number: for codes and references, which the payments API writes either way. */
export const label = (length: number) =>
  lenient((json) => textFrom(json instanceof ExactNumber ? json.text : json, length))

/** A currency code in upper case. */
export const currency = lenient(readCurrency)

/** A boolean, also from its name as text (gap sheet, C8). */
export const flag = lenient(readFlag)

/** A count: an integer, or one written as a string. */
export const count = lenient((json) => {
  const digits = json instanceof ExactNumber ? json.text : json
  return typeof digits === 'string' && /^\d{1,9}$/.test(digits) ? Number(digits) : null
})

/** A nested object; any value that is not an object is read as an empty object. */
export const section = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.preprocess((json) => (isRecord(json) ? json : {}), z.object(shape))
