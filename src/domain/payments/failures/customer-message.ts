import type { FailureCode } from './failure-table.ts'
import { textsFor } from './messages/languages.ts'

/**
 * Returns the message for a payer whose payment failed: what happened in plain words, and what to do next. It never mentions a suspicion,
 * not even to callers who may see risk. `locale` is a BCP 47 tag; English is used for a language without texts.
 */
export function customerMessage(code: FailureCode, locale: string | null): string {
  return textsFor(locale).failures[code]
}
