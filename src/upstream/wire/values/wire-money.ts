import { compareDecimals, decimalFromText } from '../../../domain/money/money.ts'
import { ExactNumber } from '../../../lib/exact-json.ts'

/** Returns the plain digits of an amount that the payments API wrote as a number or a string (gap sheet, C7); otherwise null. */
export function decimalFromWire(json: unknown): string | null {
  if (json instanceof ExactNumber) return decimalFromText(json.text)
  return typeof json === 'string' ? decimalFromText(json) : null
}

/**
 * Converts plain digits to a JSON number that every parser reads as the same value, also as a float. Throws `RangeError` for a
 * text that is no plain decimal, and for a value that a float would change.
 */
export function decimalToWire(value: string): ExactNumber {
  if (!/^(?:0|[1-9]\d*)(?:\.\d+)?$/.test(value)) throw new RangeError('An amount must be a plain decimal.')
  const readBack = decimalFromText(String(Number(value)))
  if (readBack === null || compareDecimals(readBack, value) !== 0)
    throw new RangeError('An amount has more digits than a JSON number keeps.')
  return new ExactNumber(value)
}
