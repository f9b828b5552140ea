import type { FailureCode } from './failure-table.ts'
import { textsFor } from './messages/languages.ts'

/**
 * Returns the message for a payer whose payment failed: what happened, in plain words, and what to do next. It never mentions suspected
 * fraud, whoever the reader is. `locale` is a BCP 47 tag; English if its language is not supported.
 */
export function customerMessage(code: FailureCode, locale: string | null): string {
  return textsFor(locale).failures[code]
}
