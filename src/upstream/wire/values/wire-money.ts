import { compareDecimals, decimalFromText } from '../../../domain/money/money.ts'
import { ExactNumber } from '../../../lib/exact-json.ts'

/** Plain digits of an amount that the payments API wrote as a number or as a string (gap sheet, C7); null for another thing. */
export function decimalFromWire(json: unknown): string | null {
  if (json instanceof ExactNumber) return decimalFromText(json.text)
  return typeof json === 'string' ? decimalFromText(json) : null
}

/**
 * Puts plain digits on the wire as a JSON number that every reader takes for the same value, floats included.
 * Throws `RangeError` for text that is no plain decimal, and for one that a float would change.
 */
export function decimalToWire(value: string): ExactNumber {
  if (!/^(?:0|[1-9]\d*)(?:\.\d+)?$/.test(value)) throw new RangeError('An amount must be a plain decimal.')
  const readBack = decimalFromText(String(Number(value)))
  if (readBack === null || compareDecimals(readBack, value) !== 0)
    throw new RangeError('An amount has more digits than a JSON number keeps.')
  return new ExactNumber(value)
}
