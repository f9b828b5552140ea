import { ExactNumber } from '../../lib/exact-json.ts'
import { decimalText } from './decimal.ts'
import type { Decimal } from './decimal.ts'

/** An amount as a JSON string of the payments API, with at least one digit after the point. */
export function money(amount: Decimal): string {
  return decimalText(amount, 1)
}

/** An amount as a JSON number with its original digits. */
export function jsonNumber(amount: Decimal): ExactNumber {
  return new ExactNumber(decimalText(amount))
}

/** An instant in the payments API's format, e.g. `2025-05-28T04:22:21.567+0000` (gap sheet, section 25.1). */
export function wireTime(moment: Date): string {
  return moment.toISOString().replace('Z', '+0000')
}
